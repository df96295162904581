// Time that is moved by hand on this thread: what errand waits for inside of an attempt ends in real time, and as well when
// the clock is moved past it.
//
// Invariant: on a thread without one, nothing here does anything.
#pragma once

#include <errand/time.hpp>

#include <functional>
#include <list>
#include <optional>

namespace errand {

// On one thread only.
class manual_time {
public:
    explicit manual_time(std::function<time_point()> clock) : clock_{std::move(clock)} {}

    std::size_t waiting() const;
    // When the first of the waits ends.
    std::optional<time_point> first() const;
    // The clock was moved: ends those whose time it is, the earliest first.
    void moved();

private:
    friend class manual_wait;
    struct entry {
        time_point ends;
        std::function<void()> over;
    };

    std::function<time_point()> clock_;
    std::list<entry> waits_;
};

// Whether there is one on this thread.
bool time_is_manual() noexcept;

// As long as it stands, that time counts on this thread.
class manual_time_scope {
public:
    explicit manual_time_scope(manual_time& by) noexcept;
    ~manual_time_scope();
    manual_time_scope(const manual_time_scope&) = delete;
    manual_time_scope& operator=(const manual_time_scope&) = delete;

private:
    manual_time* before_;
};

// A wait of this length that begins now. `over` is called once at most, while this stands; it must not end it.
class manual_wait {
public:
    manual_wait(duration length, std::function<void()> over);
    ~manual_wait();
    manual_wait(const manual_wait&) = delete;
    manual_wait& operator=(const manual_wait&) = delete;

private:
    manual_time* in_;
    std::list<manual_time::entry>::iterator at_;
};

}  // namespace errand
