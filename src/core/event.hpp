// Who hears the events of an app.
#pragma once

#include <errand/event.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

// Of an event what is counted. It costs no allocation, as an event does; what it refers to lives as long as the call.
struct event_brief {
    event_kind kind{};
    std::uint64_t times = 1;  // of submissions alone: so many that are alike
    std::string_view queue{};
    std::string_view handler{};
    std::string_view text{};
    std::string_view trace_id{};
    std::optional<duration> waited{};
    std::optional<time_point> submitted_at{};
    std::optional<time_point> started_at{};
    std::optional<time_point> ended_at{};
};

event_brief brief_of(const event& what) noexcept;

// Of which events one is told briefly. As quick as a listener, and from any thread, too.
class event_counter {
public:
    virtual void count(const event_brief& what) noexcept = 0;

protected:
    ~event_counter() = default;
};

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
    // From now on it counts these kinds; once, and it lives as long as the stream.
    void count_by(event_counter& by, kinds which);
    // Cheap when nobody listens; ask `heard()` before building a costly event.
    void publish(event what) const;
    // In the place of `publish` where nobody is listening, but somebody counts.
    void count(const event_brief& what) const noexcept;
    bool heard() const noexcept { return (heard_kinds() | counted_kinds()) != 0; }
    bool heard(event_kind one) const noexcept {
        return ((heard_kinds() | counted_kinds()) & kind_bit(one)) != 0;
    }
    // Whether it takes a whole event for somebody to hear it.
    bool listened() const noexcept { return heard_kinds() != 0; }
    bool listened(event_kind one) const noexcept { return (heard_kinds() & kind_bit(one)) != 0; }

private:
    struct listener {
        event_listener to;
        kinds which = all_kinds;
    };
    using listeners = std::vector<listener>;
    kinds heard_kinds() const noexcept { return audience_->heard.load(std::memory_order_acquire); }
    kinds counted_kinds() const noexcept { return audience_->counted.load(std::memory_order_acquire); }

    struct audience {
        std::atomic<kinds> heard{0};
        std::atomic<kinds> counted{0};
        event_counter* counter = nullptr;  // before `counted`
        std::mutex guard;                  // held while the list is read or grown, not while listeners run
        std::shared_ptr<const listeners> all;
    };

    std::shared_ptr<audience> audience_ = std::make_shared<audience>();
    std::string name_space_;
};

}  // namespace errand
