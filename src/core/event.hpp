// Who hears the events of an app.
#pragma once

#include <errand/event.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace errand {

class event_stream {
public:
    // Called on whatever thread publishes, so it must be quick and safe from any; lives as long as the stream. It must not
    // throw: publishers are in the middle of something.
    void subscribe(event_listener to);
    // Cheap when nobody listens; ask `heard()` before building a costly event.
    void publish(const event& what) const;
    bool heard() const noexcept { return heard_.load(std::memory_order_acquire); }

private:
    using listeners = std::vector<event_listener>;

    std::atomic<bool> heard_{false};
    mutable std::mutex guard_;  // held while the list is read or grown, not while listeners run
    std::shared_ptr<const listeners> listeners_;
};

}  // namespace errand
