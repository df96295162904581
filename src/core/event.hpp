// Who hears the events of an app.
#pragma once

#include <errand/event.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace errand {

class event_stream {
public:
    // `name_space`: whose its events are.
    explicit event_stream(std::string name_space = {}) : name_space_{std::move(name_space)} {}
    // Of another namespace, to the same listeners.
    event_stream(const event_stream& beside, std::string name_space)
        : audience_{beside.audience_}, name_space_{std::move(name_space)} {}

    // Called on whatever thread publishes, so it must be quick and safe from any; lives as long as the stream. It must not
    // throw: publishers are in the middle of something.
    void subscribe(event_listener to);
    // Cheap when nobody listens; ask `heard()` before building a costly event.
    void publish(event what) const;
    bool heard() const noexcept { return audience_->heard.load(std::memory_order_acquire); }

private:
    using listeners = std::vector<event_listener>;
    struct audience {
        std::atomic<bool> heard{false};
        std::mutex guard;  // held while the list is read or grown, not while listeners run
        std::shared_ptr<const listeners> all;
    };

    std::shared_ptr<audience> audience_ = std::make_shared<audience>();
    std::string name_space_;
};

}  // namespace errand
