#include "core/due_ticks.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr time_point midnight{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22}};

tick_plan with_interval(duration interval, schedule_mode mode = schedule_mode::fixed_rate,
                        tick_window window = {}) {
    return {interval_ticks{.interval = interval, .mode = mode}, window, midnight};
}
tick_plan each_minute(tick_window window = {}) {
    return {cron_ticks{cron_line::parse("* * * * *", {}), time_zone::utc()}, window, midnight};
}

using ticks = std::vector<time_point>;

}  // namespace

TEST_CASE("a tick in time is fired whatever the rule, and the next one is planned") {
    for (const auto rule : {missed_rule::run_once, missed_rule::run_all, missed_rule::skip}) {
        const auto due = due_until(each_minute(), midnight + 1min, midnight + 1min + 40ms, {.rule = rule});
        CHECK(due.fire == ticks{midnight + 1min});
        CHECK(due.missed == 0);
        CHECK(due.next == midnight + 2min);
        CHECK_FALSE(due.finished);
    }
    const auto early = due_until(each_minute(), midnight + 1min, midnight + 1min - 1ms, {});
    CHECK(early.fire.empty());
    CHECK(early.next == midnight + 1min);
}

TEST_CASE("after ten minutes without a worker the rule says how many of ten ticks are fired") {
    for (const auto late : {0ms, 1ms, 30'000ms, 59'999ms}) {
        const auto now = midnight + 10min + late;
        const auto once = due_until(each_minute(), midnight + 1min, now, {.rule = missed_rule::run_once});
        CHECK(once.fire == ticks{midnight + 10min});
        CHECK(once.missed == 9);
        const auto all =
            due_until(each_minute(), midnight + 1min, now, {.rule = missed_rule::run_all, .cap = 5});
        CHECK(all.fire ==
              ticks{midnight + 6min, midnight + 7min, midnight + 8min, midnight + 9min, midnight + 10min});
        CHECK(all.missed == 5);
        const auto none = due_until(each_minute(), midnight + 1min, now, {.rule = missed_rule::skip});
        CHECK(none.fire.empty());
        CHECK(none.missed == 10);
        for (const auto& due : {once, all, none}) CHECK(due.next == midnight + 11min);
    }
}

TEST_CASE("who skips late ticks still has those that are less than a minute late") {
    const missed_terms skip{.rule = missed_rule::skip};
    const auto hourly = with_interval(1h);
    CHECK(due_until(hourly, midnight + 1h, midnight + 1h + 59s, skip).fire == ticks{midnight + 1h});
    CHECK(due_until(hourly, midnight + 1h, midnight + 1h + 60s, skip).missed == 1);
    CHECK(due_until(hourly, midnight + 1h, midnight + 5h + 59s, skip).fire == ticks{midnight + 5h});
    CHECK(due_until(hourly, midnight + 1h, midnight + 5h + 60s, skip).missed == 5);
    const auto each_second = with_interval(1s);
    const auto stalled = due_until(each_second, midnight + 1s, midnight + 4s + 100ms, skip);
    CHECK(stalled.fire == ticks{midnight + 4s});
    CHECK(stalled.missed == 3);
    CHECK(due_until(each_second, midnight + 1s, midnight + 90s, skip).fire.empty());
}

TEST_CASE("a tick that a run has chosen itself is one more, and the grid stays") {
    const auto due =
        due_until(with_interval(1h), midnight + 90min, midnight + 200min, {.rule = missed_rule::run_all});
    CHECK(due.fire == ticks{midnight + 90min, midnight + 2h, midnight + 3h});
    CHECK(due.next == midnight + 4h);
}

TEST_CASE("a schedule is finished with its last run, at its end, and after its only tick") {
    const missed_terms all{.rule = missed_rule::run_all, .cap = 100, .runs_left = 2};
    const auto used_up = due_until(each_minute(), midnight + 1min, midnight + 5min, all);
    CHECK(used_up.fire == ticks{midnight + 4min, midnight + 5min});
    CHECK(used_up.missed == 3);
    CHECK(used_up.finished);
    CHECK(used_up.next == std::nullopt);
    // Missed ticks are no runs.
    CHECK_FALSE(due_until(each_minute(), midnight + 1min, midnight + 9min,
                          {.rule = missed_rule::skip, .runs_left = 1})
                    .finished);

    const auto last =
        due_until(each_minute({.begin = {}, .end = midnight + 3min}), midnight + 2min, midnight + 2min, {});
    CHECK(last.fire == ticks{midnight + 2min});
    CHECK(last.finished);
    const auto beyond =
        due_until(each_minute({.begin = {}, .end = midnight + 3min}), midnight + 1min, midnight + 9min, {});
    CHECK(beyond.fire == ticks{midnight + 2min});
    CHECK(beyond.missed == 1);
    CHECK(beyond.finished);

    const auto only = with_interval(1h, schedule_mode::once);
    const auto due = due_until(only, midnight + 1h, midnight + 30h, {});
    CHECK(due.fire == ticks{midnight + 1h});
    CHECK(due.finished);
}

TEST_CASE("a blocking interval waits for its run, and for the next interval when its tick was skipped") {
    const auto blocking = with_interval(1h, schedule_mode::blocking_interval);
    const auto fired = due_until(blocking, midnight + 1h, midnight + 10h, {});
    CHECK(fired.fire == ticks{midnight + 1h});
    CHECK(fired.missed == 0);
    CHECK(fired.next == std::nullopt);
    CHECK_FALSE(fired.finished);
    const auto skipped = due_until(blocking, midnight + 1h, midnight + 10h, {.rule = missed_rule::skip});
    CHECK(skipped.missed == 1);
    CHECK(skipped.next == midnight + 11h);
}

TEST_CASE("a year of missed seconds is counted without walking through it") {
    const tick_plan plan{cron_ticks{cron_line::parse("* * * * * *", {}), time_zone::utc()}, {}, midnight};
    const auto due =
        due_until(plan, midnight + 1s, midnight + 24h * 365, {.rule = missed_rule::run_all, .cap = 3});
    CHECK(due.fire.size() == 3);
    CHECK(due.missed == 24LL * 3600 * 365 - 3);
}

TEST_CASE("jitter stays below its bound and the gap, is always the same, and spreads schedules") {
    std::set<duration> drawn;
    for (std::uint64_t n = 0; n < 300; ++n) {
        const auto schedule = derive_task_id("h", std::to_string(n));
        const auto jitter = tick_jitter(schedule, midnight, 10min, 1h);
        CHECK(jitter >= 0ms);
        CHECK(jitter < 10min);
        CHECK(jitter == tick_jitter(schedule, midnight, 10min, 1h));
        CHECK(tick_jitter(schedule, midnight, 10min, 7ms) < 7ms);
        CHECK(tick_jitter(schedule, midnight, 0ms, 1h) == 0ms);
        drawn.insert(jitter);
    }
    CHECK(drawn.size() > 290);
    CHECK(tick_jitter(derive_task_id("h", "1"), midnight, 10min, 1h) !=
          tick_jitter(derive_task_id("h", "1"), midnight + 1h, 10min, 1h));
}

TEST_CASE("a tick's run has one id, in the shard of its schedule") {
    const auto schedule = derive_task_id("h", "every-hour");
    const auto run = derive_run_id(schedule, 1'795'000'000'000);
    CHECK(run == derive_run_id(schedule, 1'795'000'000'000));
    CHECK(run != derive_run_id(schedule, 1'795'000'000'001));
    CHECK(run != derive_run_id(derive_task_id("h", "other"), 1'795'000'000'000));
    CHECK(run.bytes[14] == schedule.bytes[14]);
    CHECK(run.bytes[15] == schedule.bytes[15]);
    CHECK((run.bytes[6] >> 4) == 8);
}
