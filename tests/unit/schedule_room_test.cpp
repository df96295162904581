// Ticks whose runs there is no room for.
#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

namespace {

schedule_move look_with(schedule_desk& desk, std::int64_t room, time_point now,
                        const last_run_seen& last = nothing_seen) {
    return desk.take(look(desk.kept, now, last, utc_alone, room));
}

}  // namespace

TEST_CASE("ticks that there is no room for are skipped, and the next one comes as ever") {
    schedule_desk desk{hourly()};
    CHECK(look_with(desk, 0, noon + 1h).runs.empty());
    CHECK(desk.kept.skipped == 1);
    CHECK(desk.kept.runs == 0);
    CHECK(desk.kept.missed == 0);
    CHECK(desk.kept.next == noon + 2h);
    CHECK(ticks_of(look_with(desk, 1, noon + 2h)) == ticks{noon + 2h});
    CHECK(desk.kept.runs == 1);
}

TEST_CASE("of many ticks that are due together the first have the room") {
    auto declared = hourly();
    declared.terms.missed = missed_rule::run_all;
    schedule_desk desk{declared};
    CHECK(ticks_of(look_with(desk, 2, noon + 5h)) == ticks{noon + 1h, noon + 2h});
    CHECK(desk.kept.skipped == 3);
    CHECK(desk.kept.last_tick == noon + 2h);
    CHECK(desk.kept.next == noon + 6h);
}

TEST_CASE("a schedule that follows its runs waits an interval when there is no room for one") {
    schedule_desk desk{hourly(blocking_interval)};
    CHECK(look_with(desk, 0, noon + 1h).runs.empty());
    CHECK(desk.kept.skipped == 1);
    CHECK(desk.kept.next == noon + 2h);
    CHECK(ticks_of(look_with(desk, 1, noon + 2h)) == ticks{noon + 2h});
    CHECK_FALSE(desk.kept.next);
}

TEST_CASE("what is skipped for want of room uses up no runs") {
    for (const auto mode : {fixed_rate, blocking_interval}) {
        auto declared = hourly(mode);
        declared.terms.max_runs = 1;
        schedule_desk desk{declared};
        look_with(desk, 0, noon + 1h);
        CHECK(desk.kept.state == schedule_state::active);
        CHECK(desk.kept.next == noon + 2h);
        CHECK(look_with(desk, 1, noon + 2h).runs.size() == 1);
        CHECK(desk.kept.state == schedule_state::finished);
    }
}

TEST_CASE("a schedule of one tick that there is no room for is over") {
    schedule_desk desk{hourly(once)};
    look_with(desk, 0, noon + 1h);
    CHECK(desk.kept.skipped == 1);
    CHECK(desk.kept.state == schedule_state::finished);
}

TEST_CASE("a run goes on when there is no room for the one that would take its place") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::cancel_running;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    look_with(desk, 0, noon + 2h, still_open);
    CHECK(desk.kept.overtaken.empty());
    CHECK(desk.kept.skipped == 1);
}

TEST_CASE("a tick that was put off until its run ended is skipped when there is no room then") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    desk.look(noon + 2h, still_open);
    REQUIRE(desk.kept.queued == noon + 2h);
    CHECK(look_with(desk, 0, noon + 2h + 10min, ended_at(noon + 2h + 5min)).runs.empty());
    CHECK_FALSE(desk.kept.queued);
    CHECK(desk.kept.skipped == 1);
    CHECK(desk.kept.next == noon + 3h);
}

TEST_CASE("a tick that was put off is left to the next look where the end of a run fires nothing") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    desk.look(noon + 2h, still_open);
    const auto over = ended_run{.id = desk.kept.last_run, .finished_at = noon + 2h + 5min};
    CHECK(desk.take(hear_end(desk.kept, over, noon + 2h + 5min, utc_alone, false)).runs.empty());
    CHECK(desk.kept.queued == noon + 2h);
    CHECK(ticks_of(look_with(desk, 1, noon + 2h + 5min, ended_at(noon + 2h + 5min))) == ticks{noon + 2h});
}
