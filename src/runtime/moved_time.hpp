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
class moved_time {
public:
    explicit moved_time(std::function<time_point()> clock) : clock_{std::move(clock)} {}

    std::size_t waiting() const;
    // When the first of the waits ends.
    std::optional<time_point> first() const;
    // The clock was moved: ends those whose time it is, the earliest first.
    void moved();

private:
    friend class moved_wait;
    struct entry {
        time_point ends;
        std::function<void()> over;
    };

    std::function<time_point()> clock_;
    std::list<entry> waits_;
};

// Whether there is one on this thread.
bool time_is_moved() noexcept;

// As long as it stands, that time counts on this thread.
class moved_time_scope {
public:
    explicit moved_time_scope(moved_time& by) noexcept;
    ~moved_time_scope();
    moved_time_scope(const moved_time_scope&) = delete;
    moved_time_scope& operator=(const moved_time_scope&) = delete;

private:
    moved_time* before_;
};

// A wait of this length that begins now. `over` is called once at most, while this stands; it must not end it.
class moved_wait {
public:
    moved_wait(duration length, std::function<void()> over);
    ~moved_wait();
    moved_wait(const moved_wait&) = delete;
    moved_wait& operator=(const moved_wait&) = delete;

private:
    moved_time* in_;
    std::list<moved_time::entry>::iterator at_;
};

}  // namespace errand
