// The schedules of the trial: every producer declares all of them, and the judge knows what follows from them.
#pragma once

#include <errand/schedule.hpp>

#include <array>
#include <string_view>

namespace trial {

struct recurring_kind {
    std::string_view key;
    std::string_view line{};  // of cron; empty: the interval counts
    errand::duration interval{1000};
    errand::schedule_mode mode = errand::fixed_rate;
    errand::missed_rule missed = errand::missed_rule::run_once;
    int cap = 100;
    errand::overlap_rule overlap = errand::overlap_rule::allow;
    errand::duration length{2};   // of a run
    bool rests_at_times = false;  // it is paused and resumed
    bool renewed = false;         // it is declared with other arguments again and again
    bool run_by_hand = false;

    bool follows_runs() const { return line.empty() && mode == errand::blocking_interval; }
    // Its runs follow each other.
    bool never_overlaps() const { return follows_runs() || overlap != errand::overlap_rule::allow; }
    // Each of its ticks is fired, or a run is told that it was missed.
    bool accounts_for_all() const { return !never_overlaps() && !rests_at_times; }
};

// The store's clock jumps ahead by minutes: where all missed ticks run, so many are not to bury the rest of the load.
inline constexpr std::array recurring_kinds{
    recurring_kind{.key = "each_second", .line = "* * * * * *", .missed = errand::missed_rule::run_all},
    recurring_kind{.key = "newest_second", .line = "* * * * * *", .renewed = true, .run_by_hand = true},
    recurring_kind{.key = "rate", .interval{250}, .missed = errand::missed_rule::run_all, .cap = 40},
    recurring_kind{.key = "newest", .interval{300}, .renewed = true},
    recurring_kind{.key = "resting",
                   .interval{350},
                   .missed = errand::missed_rule::run_all,
                   .cap = 20,
                   .rests_at_times = true,
                   .run_by_hand = true},
    recurring_kind{.key = "skipping", .interval{400}, .overlap = errand::overlap_rule::skip, .length{500}},
    recurring_kind{.key = "queueing",
                   .interval{450},
                   .overlap = errand::overlap_rule::queue_one,
                   .length{500},
                   .renewed = true},
    recurring_kind{.key = "following", .interval{100}, .mode = errand::blocking_interval, .length{30}},
    recurring_kind{.key = "following_renewed",
                   .interval{200},
                   .mode = errand::blocking_interval,
                   .length{100},
                   .renewed = true},
};

}  // namespace trial
