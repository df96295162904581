// Ticks and their runs, what was missed, and what comes next.
#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

TEST_CASE("a tick makes one run, whose id follows from schedule and tick, and which knows both") {
    schedule_desk desk{hourly()};
    CHECK(desk.kept.next == noon + 1h);
    CHECK_FALSE(desk.look(noon + 1h - 1ms).changed);
    const auto before = desk.kept;
    const auto move = desk.look(noon + 1h + 20ms);
    CHECK(move.changed);
    REQUIRE(ticks_of(move) == ticks{noon + 1h});
    const auto& made = move.runs[0];
    const auto schedule = derive_schedule_id("report", "k");
    CHECK(made.id == derive_run_id(schedule, (noon + 1h).time_since_epoch().count()));
    CHECK(made.id == look(before, noon + 2h - 1ms, nothing_seen, utc_alone).runs[0].id);
    CHECK(made.starts_at == std::nullopt);
    CHECK(made.body.args == "[1]");
    CHECK(made.body.origin->schedule == schedule);
    CHECK(made.body.origin->key == "k");
    CHECK(made.body.origin->number == 1);
    CHECK_FALSE(made.body.origin->tells_end);
    CHECK(made.body.headers.at("errand-schedule") == to_text(schedule));
    CHECK(made.body.headers.at("errand-tick") == "2026-11-22T13:00:00.000Z");
    CHECK(desk.kept.last_run == made.id);
    CHECK(desk.kept.last_tick == noon + 1h);
    CHECK(desk.kept.runs == 1);
    CHECK(desk.kept.next == noon + 2h);
    CHECK(look_at(desk.kept, noon + 1h) == noon + 2h);
}

TEST_CASE("a schedule of one tick is finished with it and kept for thirty days") {
    schedule_desk desk{hourly(schedule_mode::once)};
    CHECK(ticks_of(desk.look(noon + 1h)) == ticks{noon + 1h});
    CHECK(desk.kept.state == schedule_state::finished);
    CHECK(desk.kept.next == std::nullopt);
    CHECK(look_at(desk.kept, noon + 1h) == noon + 1h + 30 * 24h);
    CHECK_FALSE(desk.look(noon + 1h + 30 * 24h - 1ms).changed);
    const auto gone = desk.look(noon + 1h + 30 * 24h);
    CHECK(gone.changed);
    CHECK(gone.forgotten);
}

TEST_CASE("a blocking interval begins with the end of the run, after its last retry") {
    schedule_desk desk{hourly(schedule_mode::blocking_interval)};
    const auto fired = desk.look(noon + 1h);
    CHECK(fired.runs.at(0).body.origin->tells_end);
    CHECK(desk.kept.next == std::nullopt);
    CHECK(look_at(desk.kept, noon + 1h) == noon + 1h + 5min);
    CHECK_FALSE(desk.look(noon + 3h, still_open).changed);
    SECTION("as its news say") {
        for (const auto ended_as : {state::success, state::dead, state::cancelled, state::expired}) {
            auto other = desk;
            CHECK(other.hear(ended_as, noon + 3h + 20min).runs.empty());
            CHECK(other.kept.next == noon + 4h + 20min);
            CHECK(other.kept.state == schedule_state::active);
        }
    }
    SECTION("as a look finds when the news were lost") {
        desk.look(noon + 3h, ended_at(noon + 2h));
        CHECK(desk.kept.next == noon + 3h);
    }
    SECTION("and from now on when nothing is left of the run") {
        desk.look(noon + 3h, nothing_seen);
        CHECK(desk.kept.next == noon + 4h);
    }
    SECTION("and of no other run") {
        const auto other = derive_run_id(derive_schedule_id("report", "k"), 17);
        CHECK_FALSE(
            hear_end(desk.kept, {.id = other, .finished_at = noon + 2h}, noon + 2h, utc_alone).changed);
    }
}

TEST_CASE("a run that follows another one has a tick of its own, whatever clock told of the end before it") {
    auto declared = hourly(schedule_mode::blocking_interval);
    SECTION("one that is an interval behind") {
        schedule_desk desk{declared};
        const auto first = desk.look(noon + 1h);
        desk.hear(state::success, noon);
        CHECK(desk.kept.next == noon + 1h);
        const auto second = desk.look(noon + 1h + 5ms);
        CHECK(ticks_of(second) == ticks{noon + 1h + 1ms});
        CHECK(second.runs[0].id != first.runs[0].id);
        CHECK(desk.kept.last_tick == noon + 1h + 1ms);
    }
    SECTION("one that was set back: nothing waits until it is as late again") {
        declared.terms.jitter = 10min;
        schedule_desk desk{declared};
        desk.look(noon + 1h);
        desk.hear(state::success, noon + 4h);
        CHECK(ticks_of(desk.look(noon + 5h)) == ticks{noon + 5h});
        desk.hear(state::success, noon + 1h);
        const auto second = desk.look(noon + 2h);
        CHECK(ticks_of(second) == ticks{noon + 5h + 1ms});
        CHECK(second.runs[0].starts_at.value_or(noon) < noon + 2h + 10min);
    }
    SECTION("also where it was cancelled and is declared again") {
        schedule_desk desk{declared};
        const auto first = desk.look(noon + 1h);
        desk.take(cancel(desk.kept, noon + 1h));
        desk.declare(declared, noon);
        const auto second = desk.look(noon + 1h);
        REQUIRE(second.runs.size() == 1);
        CHECK(second.runs[0].id != first.runs[0].id);
    }
}

TEST_CASE("jitter puts a run off and never its tick") {
    auto declared = hourly();
    declared.terms.jitter = 10min;
    schedule_desk desk{declared};
    const auto before = desk.kept;
    const auto move = desk.look(noon + 1h);
    REQUIRE(move.runs.size() == 1);
    const auto starts_at = move.runs[0].starts_at.value_or(noon + 1h);
    CHECK(starts_at < noon + 1h + 10min);
    CHECK(move.runs[0].body.origin->tick == noon + 1h);
    CHECK(desk.kept.next == noon + 2h);
    // Late: it starts where it would have, or now.
    CHECK(look(before, noon + 1h + 10min, nothing_seen, utc_alone).runs[0].starts_at == std::nullopt);
}

TEST_CASE("of ticks found due together the rule says which run, and the next run is told of the others") {
    auto declared = at_cron("* * * * *");
    SECTION("the newest") {
        schedule_desk desk{declared};
        desk.look(noon);
        const auto move = desk.look(noon + 10min + 30s);
        CHECK(ticks_of(move) == ticks{noon + 10min});
        CHECK(move.runs[0].body.origin->missed == 9);
        CHECK(desk.kept.missed == 9);
        CHECK(desk.look(noon + 11min).runs.at(0).body.origin->missed == 0);
        CHECK(desk.kept.missed == 9);
    }
    SECTION("the newest of all") {
        declared.terms.missed = missed_rule::run_all;
        declared.terms.missed_cap = 3;
        schedule_desk desk{declared};
        desk.look(noon);
        const auto move = desk.look(noon + 10min + 30s);
        CHECK(ticks_of(move) == ticks{noon + 8min, noon + 9min, noon + 10min});
        CHECK(move.runs[0].body.origin->missed == 7);
        CHECK(move.runs[2].body.origin->missed == 0);
        CHECK(move.runs[2].body.origin->number == 4);
        CHECK(desk.kept.last_run == move.runs[2].id);
    }
    SECTION("none that is late, which the next one in time is told") {
        declared.terms.missed = missed_rule::skip;
        schedule_desk desk{declared};
        desk.look(noon);
        CHECK(desk.look(noon + 10min + 30s).runs.empty());
        CHECK(desk.kept.missed == 10);
        CHECK(desk.kept.runs == 1);
        CHECK(desk.look(noon + 11min).runs.at(0).body.origin->missed == 10);
    }
}

TEST_CASE("a blocking interval whose late tick is skipped begins again from now") {
    auto declared = hourly(schedule_mode::blocking_interval);
    declared.terms.missed = missed_rule::skip;
    schedule_desk desk{declared};
    CHECK(desk.look(noon + 5h).runs.empty());
    CHECK(desk.kept.missed == 1);
    CHECK(desk.kept.next == noon + 6h);
}

TEST_CASE("a blocking interval waits for a run that was revived, or that another run has overtaken") {
    schedule_desk desk{hourly(schedule_mode::blocking_interval)};
    desk.look(noon + 1h);
    desk.hear(state::dead, noon + 1h);
    CHECK(desk.kept.next == noon + 2h);
    CHECK(desk.look(noon + 2h, still_open).runs.empty());
    CHECK_FALSE(desk.kept.next);
    desk.hear(state::success, noon + 2h + 20min);
    CHECK(desk.kept.next == noon + 3h + 20min);
}

TEST_CASE("a tick in a zone is planned anew each day until it fires, unless a run has chosen it") {
    auto declared = at_cron("0 8 1 1 *");
    declared.timing.timezone = "Europe/Somewhere";
    schedule_desk desk{declared};
    const auto planned = desk.kept.next;
    CHECK(look_at(desk.kept, noon) == noon + 24h);
    desk.kept.next = *planned + 1h;  // by rules that hold no longer
    CHECK(desk.look(noon + 24h).runs.empty());
    CHECK(desk.kept.next == planned);
    desk.look(*planned);
    desk.hear_wish({.next_at = *planned + 48h}, *planned + 1min);
    desk.look(*planned + 24h);
    CHECK(desk.kept.next == *planned + 48h);
}

TEST_CASE("the next ticks are those that are left") {
    auto declared = at_cron("30 * * * *");
    declared.terms.max_runs = 2;
    schedule_desk desk{declared};
    CHECK(upcoming(desk.kept, 5, utc_alone) == ticks{noon + 30min, noon + 90min});
    CHECK(upcoming(desk.kept, 1, utc_alone) == ticks{noon + 30min});
    desk.look(noon + 30min);
    CHECK(upcoming(desk.kept, 5, utc_alone) == ticks{noon + 90min});
    CHECK(upcoming(schedule_desk{hourly(schedule_mode::blocking_interval)}.kept, 5, utc_alone) ==
          ticks{noon + 1h});
}
