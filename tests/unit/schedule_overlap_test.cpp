// A tick that is due while a run goes on.
#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

TEST_CASE("a tick that meets a run that goes on does what the rule for overlaps says") {
    auto declared = hourly();
    SECTION("it runs as well") {
        schedule_desk desk{declared};
        desk.look(noon + 1h);
        const auto move = desk.look(noon + 2h, still_open);
        CHECK(ticks_of(move) == ticks{noon + 2h});
        CHECK(move.record.overtaken.empty());
    }
    SECTION("it is skipped, and counted") {
        declared.terms.overlap = overlap_rule::skip;
        schedule_desk desk{declared};
        desk.look(noon + 1h);
        CHECK(desk.look(noon + 2h, still_open).runs.empty());
        CHECK(desk.kept.skipped == 1);
        CHECK(desk.kept.missed == 0);
        CHECK(ticks_of(desk.look(noon + 3h, ended_at(noon + 2h + 1min))) == ticks{noon + 3h});
    }
    SECTION("the run is cancelled, and the tick runs") {
        declared.terms.overlap = overlap_rule::cancel_running;
        schedule_desk desk{declared};
        const auto first = desk.look(noon + 1h).runs.at(0).id;
        CHECK(desk.kept.overtaken.empty());
        CHECK(ticks_of(desk.look(noon + 2h, still_open)) == ticks{noon + 2h});
        // Not before the tick's run is there; then at once, whatever the schedule's state.
        CHECK(desk.kept.overtaken == std::vector{first});
        CHECK(look_at(desk.kept, noon + 2h) == noon + 2h);
        CHECK(look_at(pause(desk.kept).record, noon + 2h) == noon + 2h);
        desk.kept.overtaken.clear();
        CHECK(look_at(desk.kept, noon + 2h) == noon + 3h);
        desk.look(noon + 3h, ended_at(noon + 2h + 1min));
        CHECK(desk.kept.overtaken.empty());
    }
    SECTION("where runs may not overlap, one of those that were missed runs") {
        declared.terms.overlap = overlap_rule::skip;
        declared.terms.missed = missed_rule::run_all;
        schedule_desk desk{declared};
        CHECK(ticks_of(desk.look(noon + 5h)) == ticks{noon + 5h});
    }
}

TEST_CASE("queue_one keeps the newest tick until the run has ended") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
    schedule_desk desk{declared};
    CHECK(desk.look(noon + 1h).runs.at(0).body.origin->tells_end);
    CHECK(desk.look(noon + 2h, still_open).runs.empty());
    CHECK(desk.kept.queued == noon + 2h);
    CHECK(desk.look(noon + 3h, still_open).runs.empty());
    CHECK(desk.kept.queued == noon + 3h);
    CHECK(desk.kept.skipped == 1);
    CHECK(look_at(desk.kept, noon + 3h) == noon + 3h + 5min);
    SECTION("as its news say") {
        CHECK(ticks_of(desk.hear(state::dead, noon + 3h + 20min)) == ticks{noon + 3h});
    }
    SECTION("as a look finds when the news were lost") {
        CHECK(ticks_of(desk.look(noon + 3h + 20min, ended_at(noon + 3h + 1min))) == ticks{noon + 3h});
    }
    SECTION("though another tick is due by then, which queues behind it") {
        CHECK(ticks_of(desk.look(noon + 4h, ended_at(noon + 3h + 1min))) == ticks{noon + 3h});
        CHECK(desk.kept.queued == noon + 4h);
    }
    if (!desk.kept.queued) {
        CHECK(desk.kept.runs == 2);
        CHECK(desk.kept.next == noon + 4h);
    }
}

TEST_CASE("the last run that a schedule may make can be one that is queued") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
    declared.terms.max_runs = 2;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    desk.look(noon + 2h, still_open);
    CHECK(desk.kept.queued == noon + 2h);
    CHECK(desk.kept.state == schedule_state::active);
    CHECK(ticks_of(desk.hear(state::success, noon + 2h + 1min)) == ticks{noon + 2h});
    CHECK(desk.kept.state == schedule_state::finished);
}

TEST_CASE("ticks that only take the place of a queued one use up no runs") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
    declared.terms.max_runs = 3;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    desk.look(noon + 2h, still_open);
    desk.look(noon + 3h, still_open);
    desk.look(noon + 4h, still_open);
    CHECK(desk.kept.queued == noon + 4h);
    CHECK(ticks_of(desk.hear(state::success, noon + 4h + 1min)) == ticks{noon + 4h});
    CHECK(desk.kept.state == schedule_state::active);
    CHECK(ticks_of(desk.look(noon + 5h, ended_at(noon + 4h + 2min))) == ticks{noon + 5h});
    CHECK(desk.kept.state == schedule_state::finished);
    CHECK(desk.kept.runs == 3);
}
