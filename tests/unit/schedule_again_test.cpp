// A schedule that is declared again.
#include <errand/error.hpp>

#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

TEST_CASE("a new timing takes the place of one that this machine cannot read") {
    auto declared = at_cron("0 8 * * *");
    declared.timing.timezone = "Gone/Away";
    schedule_desk desk{declared};
    const zone_source one_gone = [](std::string_view name) {
        if (name == "Gone/Away") throw usage_error{"no such zone"};
        return time_zone::utc();
    };
    CHECK_THROWS_AS(look(desk.kept, noon + 48h, nothing_seen, one_gone), usage_error);
    const auto move = declare(desk.kept, at_cron("0 9 * * *"), noon + 48h, nothing_seen, one_gone);
    CHECK(move.changed);
    CHECK(move.record.next == noon + 69h);
}

TEST_CASE("declared again as it is, a schedule stays as it is") {
    for (const auto mode : {schedule_mode::blocking_interval, schedule_mode::fixed_rate}) {
        schedule_desk desk{hourly(mode)};
        desk.look(noon + 1h);
        CHECK_FALSE(desk.declare(hourly(mode), noon + 90min, still_open).changed);
        // `paused` is how it begins.
        auto paused = hourly(mode);
        paused.state = schedule_state::paused;
        CHECK_FALSE(desk.declare(paused, noon + 90min, still_open).changed);
        desk.take(pause(desk.kept));
        CHECK_FALSE(desk.declare(hourly(mode), noon + 9h, still_open).changed);
        CHECK(desk.kept.state == schedule_state::paused);
    }
    schedule_desk done{hourly(schedule_mode::once)};
    done.look(noon + 1h);
    CHECK_FALSE(done.declare(hourly(schedule_mode::once), noon + 9h).changed);
    CHECK(done.kept.state == schedule_state::finished);
}

TEST_CASE("a new timing counts from now, after what was due by the old one") {
    schedule_desk desk{hourly()};
    auto faster = hourly();
    faster.timing.interval = 10min;
    const auto move = desk.declare(faster, noon + 61min);
    CHECK(ticks_of(move) == ticks{noon + 1h});
    CHECK(desk.kept.runs == 1);
    CHECK(desk.kept.next == noon + 71min);

    schedule_desk finished{hourly(schedule_mode::once)};
    finished.look(noon + 1h);
    CHECK(finished.declare(faster, noon + 2h).changed);
    CHECK(finished.kept.state == schedule_state::active);
    CHECK(finished.kept.next == noon + 2h + 10min);

    schedule_desk blocking{hourly(schedule_mode::blocking_interval)};
    blocking.look(noon + 1h);
    faster.timing.mode = schedule_mode::blocking_interval;
    blocking.declare(faster, noon + 2h, still_open);
    CHECK(blocking.kept.next == std::nullopt);
    blocking.hear(state::success, noon + 3h);
    CHECK(blocking.kept.next == noon + 3h + 10min);
}

TEST_CASE("a schedule that becomes a blocking one never overlaps, whatever was queued") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    desk.look(noon + 2h, still_open);
    REQUIRE(desk.kept.queued);
    declared.timing.mode = schedule_mode::blocking_interval;
    desk.declare(declared, noon + 150min, still_open);
    CHECK(desk.kept.queued == std::nullopt);
    CHECK(desk.kept.skipped == 1);
    CHECK(desk.hear(state::success, noon + 3h).runs.empty());
    CHECK(desk.kept.next == noon + 4h);
}

TEST_CASE("new arguments go before what a run has set, the same ones do not") {
    schedule_desk desk{hourly()};
    desk.look(noon + 1h);
    desk.hear_wish({.args = "[2]"}, noon + 61min);
    CHECK(desk.kept.run.args == "[2]");
    CHECK_FALSE(desk.declare(hourly(), noon + 70min).changed);
    CHECK(desk.look(noon + 2h).runs.at(0).body.args == "[2]");
    auto other = hourly();
    other.run.args = "[3]";
    CHECK(desk.declare(other, noon + 130min).changed);
    CHECK(desk.look(noon + 3h).runs.at(0).body.args == "[3]");
    CHECK(desk.kept.next == noon + 4h);
}

TEST_CASE("after a cancel a declaration begins anew") {
    schedule_desk desk{hourly()};
    desk.look(noon + 1h);
    const auto last = desk.kept.last_run;
    CHECK(desk.take(cancel(desk.kept, noon + 90min)).changed);
    CHECK(desk.kept.state == schedule_state::cancelled);
    CHECK(desk.kept.next == std::nullopt);
    CHECK_FALSE(cancel(desk.kept, noon + 91min).changed);
    CHECK_FALSE(desk.hear_wish({.next_at = noon + 2h, .args = "[9]"}, noon + 92min).changed);
    CHECK(desk.declare(hourly(), noon + 100min).changed);
    CHECK(desk.kept.state == schedule_state::active);
    CHECK(desk.kept.created == noon + 100min);
    CHECK(desk.kept.runs == 0);
    CHECK(desk.kept.last_run == last);
    CHECK(desk.kept.next == noon + 160min);
}

TEST_CASE("a declaration that comes late or again changes nothing that was declared or cancelled since") {
    const auto committed_at = [](time_point at, std::string args) {
        auto declared = hourly();
        declared.declared_at = at;
        declared.run.args = std::move(args);
        return declared;
    };
    schedule_desk desk{committed_at(noon - 1min, "[1]")};
    CHECK(desk.kept.created == noon);
    CHECK_FALSE(desk.declare(committed_at(noon - 2min, "[0]"), noon + 1min).changed);
    CHECK_FALSE(desk.declare(committed_at(noon - 1min, "[1]"), noon + 1min).changed);
    CHECK(desk.declare(committed_at(noon - 30s, "[2]"), noon + 1min).changed);
    // Who declares at once is right whatever a clock said before.
    auto direct = hourly();
    direct.run.args = "[3]";
    CHECK(desk.declare(direct, noon - 40s).changed);
    CHECK(desk.kept.declared_at == noon - 40s);
    desk.take(cancel(desk.kept, noon + 5min));
    CHECK_FALSE(desk.declare(committed_at(noon + 5min, "[4]"), noon + 6min).changed);
    CHECK(desk.kept.state == schedule_state::cancelled);
    CHECK(desk.declare(committed_at(noon + 5min + 1ms, "[4]"), noon + 6min).changed);
    CHECK(desk.kept.state == schedule_state::active);
}

TEST_CASE("a schedule is finished when its runs are used up, and goes on when it may make more") {
    auto declared = hourly();
    declared.terms.max_runs = 2;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    CHECK(desk.kept.state == schedule_state::active);
    desk.look(noon + 2h);
    CHECK(desk.kept.state == schedule_state::finished);
    CHECK_FALSE(desk.declare(declared, noon + 3h).changed);
    declared.terms.max_runs = 3;
    CHECK(desk.declare(declared, noon + 3h + 1min).changed);
    CHECK(desk.kept.state == schedule_state::active);
    CHECK(desk.kept.runs == 2);
    declared.terms.max_runs = 1;
    desk.declare(declared, noon + 3h + 2min);
    CHECK(desk.kept.state == schedule_state::finished);
}

TEST_CASE("a schedule whose end has come before its first tick is finished at once") {
    auto declared = hourly();
    declared.timing.end = noon + 1h;
    CHECK(schedule_desk{declared}.kept.state == schedule_state::finished);
    declared.timing.end = noon + 1h + 1ms;
    schedule_desk desk{declared};
    CHECK(ticks_of(desk.look(noon + 9h)) == ticks{noon + 1h});
    CHECK(desk.kept.state == schedule_state::finished);
}
