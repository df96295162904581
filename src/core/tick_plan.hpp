// When a schedule ticks, as what follows from its declaration alone: no clock, no store. A tick is a planned millisecond.
#pragma once

#include <errand/schedule.hpp>

#include "core/cron_ticks.hpp"

#include <variant>

namespace errand {

struct interval_ticks {
    duration interval{0};  // >= 1 ms
    schedule_mode mode = schedule_mode::blocking_interval;
};

// begin <= tick < end.
struct tick_window {
    std::optional<time_point> begin{}, end{};
};

// Throws usage_error, which names the member and its value.
void check_timing(const interval_ticks& of);
void check_window(const tick_window& of);

class tick_plan {
public:
    // `declared`: when it was first declared with this timing, by the store's clock. Nothing before it is a tick.
    tick_plan(interval_ticks timing, tick_window window, time_point declared);
    tick_plan(cron_ticks timing, tick_window window, time_point declared);

    // The first tick of all.
    std::optional<time_point> first() const;
    // The planned tick that follows this instant: of cron and of a fixed rate, whose ticks are known in advance. Nullopt: none
    // is left, or it follows from the end of a run.
    std::optional<time_point> next(time_point after) const;
    // Of those, the last one before this instant.
    std::optional<time_point> previous(time_point before) const;
    // Of those, how many there are: from <= tick < to.
    std::int64_t count(time_point from, time_point to) const;
    // Of a blocking interval: the tick that follows a run which has ended.
    std::optional<time_point> after_run(time_point ended) const;
    // With which tick a schedule goes on that was paused until now, `planned` being its next one: nothing is made up.
    std::optional<time_point> after_pause(std::optional<time_point> planned, time_point now) const;

    // From one tick until the next one.
    duration gap(time_point tick) const;
    bool follows_runs() const noexcept;

private:
    bool ticks_once() const noexcept;
    time_point grid_origin() const;
    time_point least() const;
    std::optional<time_point> within(std::optional<time_point> tick) const;

    std::variant<interval_ticks, cron_ticks> timing_;
    tick_window window_;
    time_point declared_;
};

// At most so many planned ticks from <= tick < to, oldest first: for `backfill`, in pages.
std::vector<time_point> ticks_between(const tick_plan& plan, time_point from, time_point to,
                                      std::size_t most);

}  // namespace errand
