// What another machine's clock shows now, from what it told with its answers. Pure.
#pragma once

#include <errand/time.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace errand {

// Of each answer it is known between which two moments its time was read. What all of them allow is kept: one slow answer makes the
// estimate no worse, and a clock that was set is believed as soon as an answer says so.
class clock_estimate {
public:
    using local = std::chrono::steady_clock::time_point;

    // `told`: what the clock showed, in whole ms, at some moment from `asked` to `heard`.
    void hear(time_point told, local asked, local heard) {
        const auto least = ahead(told, heard);
        const auto most = std::max(least, ahead(told + duration{1}, asked));
        ahead_ = ahead_ ? std::clamp(*ahead_, least, most) : least;
    }

    // Never ahead of the clock, as long as that is not set back; before the first answer the time since this machine's start.
    time_point at(local moment) const {
        const auto since = moment.time_since_epoch() + ahead_.value_or(std::chrono::nanoseconds{0});
        return time_point{std::chrono::floor<duration>(since)};
    }

private:
    static std::chrono::nanoseconds ahead(time_point told, local moment) {
        return std::chrono::nanoseconds{told.time_since_epoch()} - moment.time_since_epoch();
    }

    std::optional<std::chrono::nanoseconds> ahead_;
};

}  // namespace errand
