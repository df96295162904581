// Who hears the events of an app.
#pragma once

#include <errand/event.hpp>

#include <atomic>
#include <cstdint>
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

    // A bit for each kind.
    using kinds = std::uint64_t;
    static constexpr kinds all_kinds = ~kinds{0};
    static constexpr kinds kind_bit(event_kind one) noexcept {
        return kinds{1} << static_cast<unsigned>(one);
    }

    // Called on whatever thread publishes, so it must be quick and safe from any; lives as long as the stream. It must not
    // throw: publishers are in the middle of something. It hears events of these kinds.
    void subscribe(event_listener to, kinds which = all_kinds);
    // Cheap when nobody listens; ask `heard()` before building a costly event.
    void publish(event what) const;
    bool heard() const noexcept { return heard_kinds() != 0; }
    bool heard(event_kind one) const noexcept { return (heard_kinds() & kind_bit(one)) != 0; }

private:
    struct listener {
        event_listener to;
        kinds which = all_kinds;
    };
    using listeners = std::vector<listener>;
    kinds heard_kinds() const noexcept { return audience_->heard.load(std::memory_order_acquire); }

    struct audience {
        std::atomic<kinds> heard{0};
        std::mutex guard;  // held while the list is read or grown, not while listeners run
        std::shared_ptr<const listeners> all;
    };

    std::shared_ptr<audience> audience_ = std::make_shared<audience>();
    std::string name_space_;
};

}  // namespace errand
