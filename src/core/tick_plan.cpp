#include "core/tick_plan.hpp"

#include <errand/error.hpp>

#include "core/policy_rules.hpp"

#include <algorithm>
#include <string>

namespace errand {
namespace {

using std::chrono::sys_seconds;

constexpr duration one_tick{1};

std::string milliseconds_text(duration value) { return std::to_string(value.count()) + "ms"; }

// k of the last grid point origin + k * interval that is not later.
std::int64_t grid_index(time_point at, time_point origin, duration interval) {
    const auto away = (at - origin).count();
    const auto k = away / interval.count();
    return away % interval.count() < 0 ? k - 1 : k;
}

// Cron ticks at whole seconds: `x <= tick` is the same for x and for this.
sys_seconds whole_second_from(time_point at) { return std::chrono::ceil<std::chrono::seconds>(at); }

}  // namespace

void check_timing(const interval_ticks& ticks) {
    if (ticks.interval < one_tick)
        throw usage_error{"interval = " + milliseconds_text(ticks.interval) + ": must be at least 1ms"};
    if (ticks.interval > max_duration)
        throw usage_error{"interval = " + milliseconds_text(ticks.interval) +
                          ": must not be longer than 100 years"};
}

void check_window(const tick_window& window) {
    for (const auto& [member, at] : {std::pair{"begin", window.begin}, std::pair{"end", window.end}}) {
        if (at && at->time_since_epoch() > 10 * max_duration) {
            throw usage_error{std::string{member} + " = " + milliseconds_text(at->time_since_epoch()) +
                              " since 1970: must be before the year 2970"};
        }
    }
    if (window.begin && window.end && *window.begin >= *window.end) {
        throw usage_error{"end = " + milliseconds_text(window.end->time_since_epoch()) +
                          " since 1970: must be after begin, which is " +
                          milliseconds_text(window.begin->time_since_epoch())};
    }
}

tick_plan::tick_plan(interval_ticks timing, tick_window window, time_point declared)
    : timing_{timing}, window_{window}, declared_{declared} {
    check_timing(timing);
}

tick_plan::tick_plan(cron_ticks timing, tick_window window, time_point declared)
    : timing_{std::move(timing)}, window_{window}, declared_{declared} {}

bool tick_plan::follows_runs() const noexcept {
    const auto* every = std::get_if<interval_ticks>(&timing_);
    return every != nullptr && every->mode == schedule_mode::blocking_interval;
}

bool tick_plan::ticks_once() const noexcept {
    const auto* every = std::get_if<interval_ticks>(&timing_);
    return every != nullptr && every->mode == schedule_mode::once;
}

time_point tick_plan::grid_origin() const {
    return window_.begin ? *window_.begin : declared_ + std::get<interval_ticks>(timing_).interval;
}

// Nothing earlier is a tick.
time_point tick_plan::least() const {
    const auto from = window_.begin ? std::max(*window_.begin, declared_) : declared_;
    return std::holds_alternative<cron_ticks>(timing_) ? from : std::max(from, grid_origin());
}

std::optional<time_point> tick_plan::within(std::optional<time_point> tick) const {
    return tick && window_.end && *tick >= *window_.end ? std::nullopt : tick;
}

std::optional<time_point> tick_plan::first() const {
    if (follows_runs() || ticks_once()) return within(least());
    return next(least() - one_tick);
}

std::optional<time_point> tick_plan::next(time_point after) const {
    if (follows_runs() || ticks_once()) return std::nullopt;
    const auto from = std::max(after + one_tick, least());
    if (const auto* cron = std::get_if<cron_ticks>(&timing_))
        return within(cron->next(whole_second_from(from) - std::chrono::seconds{1}));
    const auto interval = std::get<interval_ticks>(timing_).interval;
    return within(grid_origin() + (grid_index(from - one_tick, grid_origin(), interval) + 1) * interval);
}

std::optional<time_point> tick_plan::previous(time_point before) const {
    if (follows_runs() || ticks_once()) return std::nullopt;
    if (window_.end) before = std::min(before, *window_.end);
    std::optional<time_point> tick;
    if (const auto* cron = std::get_if<cron_ticks>(&timing_)) {
        tick = cron->previous(whole_second_from(before));
    } else {
        const auto interval = std::get<interval_ticks>(timing_).interval;
        tick = grid_origin() + grid_index(before - one_tick, grid_origin(), interval) * interval;
    }
    return tick && *tick >= least() ? tick : std::nullopt;
}

std::int64_t tick_plan::count(time_point from, time_point to) const {
    if (follows_runs() || ticks_once()) return 0;
    from = std::max(from, least());
    if (window_.end) to = std::min(to, *window_.end);
    if (from >= to) return 0;
    if (const auto* cron = std::get_if<cron_ticks>(&timing_))
        return cron->count(whole_second_from(from), whole_second_from(to));
    const auto interval = std::get<interval_ticks>(timing_).interval;
    return grid_index(to - one_tick, grid_origin(), interval) -
           grid_index(from - one_tick, grid_origin(), interval);
}

std::optional<time_point> tick_plan::after_run(time_point ended) const {
    if (!follows_runs()) return std::nullopt;
    return within(ended + std::get<interval_ticks>(timing_).interval);
}

std::optional<time_point> tick_plan::after_pause(std::optional<time_point> planned, time_point now) const {
    if (!planned || *planned >= now) return planned;
    return follows_runs() ? after_run(now) : next(now - one_tick);
}

duration tick_plan::gap(time_point tick) const {
    if (const auto* every = std::get_if<interval_ticks>(&timing_))
        return ticks_once() ? duration::max() : every->interval;
    // Its end is no tick that would come too close.
    const auto following = std::get<cron_ticks>(timing_).next(std::chrono::floor<std::chrono::seconds>(tick));
    return following ? time_point{*following} - tick : duration::max();
}

std::vector<time_point> ticks_between(const tick_plan& plan, time_point from, time_point to,
                                      std::size_t most) {
    std::vector<time_point> ticks;
    for (auto tick = plan.next(from - one_tick); tick && *tick < to && ticks.size() < most;
         tick = plan.next(*tick))
        ticks.push_back(*tick);
    return ticks;
}

}  // namespace errand
