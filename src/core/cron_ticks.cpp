#include "core/cron_ticks.hpp"

#include <algorithm>

namespace errand {
namespace {

using std::chrono::local_seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr std::chrono::seconds tick_step{1};
constexpr std::chrono::days tick_horizon{41 * 366};
// No local time is shown so long before or after the same time elsewhere: two offsets are less apart.
constexpr std::chrono::hours far_apart{54};

constexpr sys_seconds first_tick{sys_days{std::chrono::year{-8000} / 1 / 1}};
constexpr sys_seconds last_tick{sys_days{std::chrono::year{8000} / 1 / 1}};

sys_seconds within_calendar(sys_seconds instant) { return std::clamp(instant, first_tick, last_tick); }
local_seconds as_local(sys_seconds instant, std::chrono::seconds offset) {
    return local_seconds{instant.time_since_epoch() + offset};
}
sys_seconds as_instant(local_seconds local, std::chrono::seconds offset) {
    return sys_seconds{local.time_since_epoch() - offset};
}

}  // namespace

std::optional<sys_seconds> cron_ticks::next(sys_seconds after) const {
    const auto from = within_calendar(after) + tick_step;
    if (line_.follows_elapsed_time()) return next_elapsed(from);
    const auto match = line_.first_match(latest_shown(*zone_, from - tick_step) + tick_step);
    if (!match) return std::nullopt;
    return first_instant(*zone_, *match);
}

std::optional<sys_seconds> cron_ticks::previous(sys_seconds before) const {
    const auto until = within_calendar(before) - tick_step;
    if (line_.follows_elapsed_time()) return previous_elapsed(until);
    const auto match = line_.last_match(latest_shown(*zone_, until));
    if (!match) return std::nullopt;
    return first_instant(*zone_, *match);
}

std::optional<sys_seconds> cron_ticks::next_elapsed(sys_seconds from) const {
    const auto horizon = from + tick_horizon;
    while (from < horizon) {
        const auto span = zone_->offset_at(from);
        const auto match = line_.first_match(as_local(from, span.offset));
        if (!match) return std::nullopt;
        const auto tick = as_instant(*match, span.offset);
        if (tick < span.end) return tick;
        // What lies far before the match has no tick, unless clocks are soon put back to before `from`.
        from = span.end - from > far_apart ? std::max(span.end, tick - far_apart) : span.end;
    }
    return std::nullopt;
}

std::optional<sys_seconds> cron_ticks::previous_elapsed(sys_seconds until) const {
    const auto horizon = until - tick_horizon;
    while (until > horizon) {
        const auto span = zone_->offset_at(until);
        const auto match = line_.last_match(as_local(until, span.offset));
        if (!match) return std::nullopt;
        const auto tick = as_instant(*match, span.offset);
        if (tick >= span.begin) return tick;
        const auto before = span.begin - tick_step;
        until = until - span.begin > far_apart ? std::min(before, tick + far_apart) : before;
    }
    return std::nullopt;
}

std::int64_t cron_ticks::count(sys_seconds from, sys_seconds to) const {
    from = within_calendar(from);
    to = within_calendar(to);
    if (from >= to) return 0;
    if (line_.follows_elapsed_time()) return count_elapsed(from, to);
    const auto shown = latest_shown(*zone_, from - tick_step) + tick_step;
    const auto then = latest_shown(*zone_, to - tick_step) + tick_step;
    return line_.count_matches(shown, then) - repeated_in_gaps(from, to);
}

std::int64_t cron_ticks::count_elapsed(sys_seconds from, sys_seconds to) const {
    std::int64_t count = 0;
    while (from < to) {
        const auto span = zone_->offset_at(from);
        const auto end = std::min(span.end, to);
        count += line_.count_matches(as_local(from, span.offset), as_local(end, span.offset));
        from = end;
    }
    return count;
}

// Times that fall on the end of one gap are one tick: how many there are too many.
std::int64_t cron_ticks::repeated_in_gaps(sys_seconds from, sys_seconds to) const {
    std::int64_t repeated = 0;
    for (auto at = from; at < to;) {
        const auto shown = latest_shown(*zone_, at - tick_step) + tick_step;
        const auto span = zone_->offset_at(at);
        const auto now = as_local(at, span.offset);
        if (now > shown)
            repeated += std::max<std::int64_t>(line_.count_matches(shown, now + tick_step) - 1, 0);
        at = span.end;
    }
    return repeated;
}

}  // namespace errand
