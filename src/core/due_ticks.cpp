#include "core/due_ticks.hpp"

#include "core/sha256.hpp"

#include <algorithm>

namespace errand {
namespace {

// Later than this is late for who wants no late ticks.
constexpr duration soon_enough = std::chrono::minutes{1};
constexpr duration just_after{1};

// Ticks a minute or less apart always have one that is less than a minute old. There the oldest says whether somebody was there
// to fire them.
bool is_in_time(time_point oldest, time_point newest, std::optional<time_point> before_newest,
                time_point now) {
    const bool close = before_newest && newest - *before_newest <= soon_enough;
    return now - (close ? oldest : newest) < soon_enough;
}

}  // namespace

due_ticks due_until(const tick_plan& plan, time_point expected, time_point now, const missed_terms& terms) {
    due_ticks due;
    if (expected > now) {
        due.next = expected;
        return due;
    }
    const auto after_now = now + just_after;
    const auto all = 1 + plan.count(expected + just_after, after_now);
    // Newest first, no more than are fired.
    const auto earlier_than = [&](time_point tick) {
        const auto found = plan.previous(tick);
        if (found && *found > expected) return std::optional{*found};
        return tick > expected ? std::optional{expected} : std::nullopt;
    };
    const auto newest = *earlier_than(after_now);
    std::int64_t firing = 1;
    if (terms.rule == missed_rule::run_all) firing = std::min<std::int64_t>(all, terms.cap);
    if (terms.rule == missed_rule::skip && !is_in_time(expected, newest, earlier_than(newest), now))
        firing = 0;
    if (terms.runs_left) firing = std::min(firing, *terms.runs_left);
    std::optional<time_point> tick = newest;
    for (std::int64_t n = 0; n < firing; ++n, tick = earlier_than(*tick)) due.fire.push_back(*tick);
    std::ranges::reverse(due.fire);
    due.missed = all - firing;

    const bool used_up = terms.runs_left && *terms.runs_left <= firing;
    if (!used_up) due.next = plan.next(now);
    if (plan.follows_runs() && firing == 0 && !used_up) due.next = plan.after_run(now);
    due.finished = !due.next && (used_up || firing == 0 || !plan.follows_runs());
    return due;
}

duration tick_jitter(const task_id& schedule, time_point tick, duration jitter, duration gap) {
    const auto bound = std::min(jitter, gap).count();
    if (bound <= 0) return duration{0};
    const auto number =
        drawn_number(with_length(schedule.view()) +
                     eight_bytes(static_cast<std::uint64_t>(tick.time_since_epoch().count())));
    return duration{static_cast<duration::rep>(number % static_cast<std::uint64_t>(bound))};
}

}  // namespace errand
