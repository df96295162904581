#include <errand/error.hpp>

#include "core/schedule_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr time_point noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + 12h};
const last_run_seen nothing_seen{};
const last_run_seen still_open{.how = run_standing::open};
const zone_source utc_alone = [](std::string_view) { return time_zone::utc(); };

last_run_seen ended_at(time_point at) { return {.how = run_standing::ended, .finished_at = at}; }

schedule_record hourly(schedule_mode mode = fixed_rate) {
    schedule_record declared;
    declared.identity = "report";
    declared.key = "k";
    declared.timing = {.interval = 1h, .mode = mode};
    declared.run.queue = "default";
    declared.run.handler = "report";
    declared.run.args = "[1]";
    return declared;
}

schedule_record at_cron(std::string line) {
    auto declared = hourly();
    declared.timing = {.cron = std::move(line), .timezone = "UTC"};
    return declared;
}

// A schedule that does what the rules say, declared at noon.
struct schedule_desk {
    explicit schedule_desk(schedule_record declared, bool paused = false) {
        if (paused) declared.state = schedule_state::paused;
        take(errand::declare(std::nullopt, std::move(declared), noon, nothing_seen, utc_alone));
    }

    schedule_move take(schedule_move move) {
        kept = move.record;
        return move;
    }
    schedule_move declare(schedule_record declared, time_point now,
                          const last_run_seen& last = nothing_seen) {
        return take(errand::declare(kept, std::move(declared), now, last, utc_alone));
    }
    schedule_move look(time_point now, const last_run_seen& last = nothing_seen) {
        return take(errand::look(kept, now, last, utc_alone));
    }
    schedule_move hear(state ended_as, time_point at, schedule_wish wish = {}) {
        return take(hear_end(
            kept, {.id = kept.last_run, .ended_as = ended_as, .finished_at = at, .wish = std::move(wish)}, at,
            utc_alone));
    }
    schedule_move hear_wish(schedule_wish wish, time_point at) {
        return hear(state::success, at, std::move(wish));
    }
    schedule_move resume(time_point now) { return take(errand::resume(kept, now, utc_alone)); }

    schedule_record kept;
};

std::vector<time_point> ticks_of(const schedule_move& move) {
    std::vector<time_point> found;
    for (const auto& made : move.runs) found.push_back(made.body.origin->tick);
    return found;
}

using ticks = std::vector<time_point>;

}  // namespace

// ---- R1, R3: ticks and their runs ----

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

TEST_CASE("jitter puts a run off and never its tick") {
    auto declared = hourly();
    declared.jitter = 10min;
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

// ---- R2: what was missed ----

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
        declared.missed_ticks = missed_rule::run_all;
        declared.missed_cap = 3;
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
        declared.missed_ticks = missed_rule::skip;
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
    declared.missed_ticks = missed_rule::skip;
    schedule_desk desk{declared};
    CHECK(desk.look(noon + 5h).runs.empty());
    CHECK(desk.kept.missed == 1);
    CHECK(desk.kept.next == noon + 6h);
}

// ---- R7: overlap ----

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
        declared.overlap = overlap_rule::skip;
        schedule_desk desk{declared};
        desk.look(noon + 1h);
        CHECK(desk.look(noon + 2h, still_open).runs.empty());
        CHECK(desk.kept.skipped == 1);
        CHECK(desk.kept.missed == 0);
        CHECK(ticks_of(desk.look(noon + 3h, ended_at(noon + 2h + 1min))) == ticks{noon + 3h});
    }
    SECTION("the run is cancelled, and the tick runs") {
        declared.overlap = overlap_rule::cancel_running;
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
        declared.overlap = overlap_rule::skip;
        declared.missed_ticks = missed_rule::run_all;
        schedule_desk desk{declared};
        CHECK(ticks_of(desk.look(noon + 5h)) == ticks{noon + 5h});
    }
}

TEST_CASE("queue_one keeps the newest tick until the run has ended") {
    auto declared = hourly();
    declared.overlap = overlap_rule::queue_one;
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
    declared.overlap = overlap_rule::queue_one;
    declared.max_runs = 2;
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
    declared.overlap = overlap_rule::queue_one;
    declared.max_runs = 3;
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

TEST_CASE(
    "a queued tick runs before the one that a run has asked for, and not when the run stops its schedule") {
    auto declared = hourly();
    declared.overlap = overlap_rule::queue_one;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    desk.look(noon + 2h, still_open);
    SECTION("before") {
        CHECK(ticks_of(desk.hear_wish({.next_at = noon + 2h}, noon + 2h)) == ticks{noon + 2h});
        CHECK(desk.kept.next > noon + 2h);
    }
    SECTION("not at all") {
        CHECK(desk.hear_wish({.stop = true}, noon + 2h + 1min).runs.empty());
        CHECK(desk.kept.state == schedule_state::finished);
    }
}

TEST_CASE("no time that a run asks for is so late that sums with it overflow") {
    schedule_desk desk{hourly()};
    desk.look(noon + 1h);
    desk.hear_wish({.next_at = time_point::max()}, noon + 1h);
    CHECK(desk.kept.next == latest_tick);
    CHECK(look_at(desk.kept, noon + 1h) == latest_tick);
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

// ---- R5: declared again ----

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
    declared.overlap = overlap_rule::queue_one;
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
    declared.max_runs = 2;
    schedule_desk desk{declared};
    desk.look(noon + 1h);
    CHECK(desk.kept.state == schedule_state::active);
    desk.look(noon + 2h);
    CHECK(desk.kept.state == schedule_state::finished);
    CHECK_FALSE(desk.declare(declared, noon + 3h).changed);
    declared.max_runs = 3;
    CHECK(desk.declare(declared, noon + 3h + 1min).changed);
    CHECK(desk.kept.state == schedule_state::active);
    CHECK(desk.kept.runs == 2);
    declared.max_runs = 1;
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

// ---- R6: pauses, runs by hand, backfill ----

TEST_CASE("what was missed in a pause is not made up") {
    schedule_desk desk{hourly(), true};
    CHECK(desk.kept.state == schedule_state::paused);
    CHECK(look_at(desk.kept, noon) == std::nullopt);
    CHECK_FALSE(desk.look(noon + 5h).changed);
    CHECK(upcoming(desk.kept, 5, utc_alone).empty());
    CHECK(desk.resume(noon + 5h + 1min).changed);
    CHECK(desk.kept.next == noon + 6h);
    CHECK(desk.kept.missed == 0);
    CHECK_FALSE(desk.resume(noon + 5h + 2min).changed);
    CHECK(desk.take(pause(desk.kept)).changed);
    CHECK_FALSE(pause(desk.kept).changed);

    // A blocking one that waits for its run goes on doing so.
    schedule_desk blocking{hourly(schedule_mode::blocking_interval)};
    blocking.look(noon + 1h);
    blocking.take(pause(blocking.kept));
    blocking.resume(noon + 2h);
    CHECK(blocking.kept.state == schedule_state::active);
    CHECK(blocking.kept.next == std::nullopt);
    blocking.take(pause(blocking.kept));
    blocking.hear(state::success, noon + 3h);
    CHECK(blocking.resume(noon + 9h).changed);
    CHECK(blocking.kept.next == noon + 10h);

    schedule_desk single{hourly(schedule_mode::once), true};
    single.resume(noon + 2h);
    CHECK(single.kept.state == schedule_state::finished);
}

TEST_CASE("a run that ends dead pauses who asked for that") {
    auto declared = hourly();
    declared.pause_on_dead = true;
    // Also when it asks only while the run is under way.
    schedule_desk desk{hourly()};
    desk.look(noon + 1h);
    desk.declare(declared, noon + 1h, still_open);
    CHECK_FALSE(desk.hear(state::cancelled, noon + 61min).changed);
    CHECK(desk.hear(state::dead, noon + 62min).changed);
    CHECK(desk.kept.state == schedule_state::paused);
}

TEST_CASE("a run by hand is a run of the schedule that counts nowhere") {
    schedule_desk desk{hourly()};
    desk.look(noon + 3h);
    const auto one = run_now(desk.kept, noon + 200min);
    const auto other = run_now(desk.kept, noon + 200min);
    CHECK(one.id != other.id);
    const auto schedule = derive_schedule_id("report", "k");
    CHECK(std::equal(one.id.bytes.end() - 2, one.id.bytes.end(), schedule.bytes.end() - 2));
    CHECK(one.body.origin->tick == noon + 200min);
    CHECK(one.body.args == "[1]");
}

TEST_CASE("backfill makes the runs that ticks would have had, with the ids that they have") {
    schedule_desk desk{hourly()};
    const auto fired = desk.look(noon + 1h);
    const auto made = backfill(desk.kept, noon - 90min, noon + 2h, 100, utc_alone);
    std::vector<time_point> found;
    for (const auto& one : made) found.push_back(one.body.origin->tick);
    CHECK(found == ticks{noon - 1h, noon, noon + 1h});
    CHECK(made.back().id == fired.runs[0].id);
    CHECK(backfill(desk.kept, noon - 90min, noon + 2h, 2, utc_alone).size() == 2);
    CHECK(ticks_to_backfill(desk.kept, noon - 90min, noon + 2h, utc_alone) == 3);
    // A schedule that begins at a time had no ticks before it.
    auto begun = hourly();
    begun.timing.begin = noon - 30min;
    CHECK(backfill(schedule_desk{begun}.kept, noon - 9h, noon + 1h, 100, utc_alone).size() == 2);
    CHECK(backfill(schedule_desk{at_cron("0 * * * *")}.kept, noon - 9h, noon, 100, utc_alone).size() == 9);
    using Catch::Matchers::ContainsSubstring;
    using Catch::Matchers::MessageMatches;
    for (const auto mode : {schedule_mode::blocking_interval, schedule_mode::once}) {
        CHECK_THROWS_MATCHES(backfill(schedule_desk{hourly(mode)}.kept, noon, noon + 1h, 1, utc_alone),
                             usage_error, MessageMatches(ContainsSubstring("schedule k of report")));
    }
}

TEST_CASE("the next ticks are those that are left") {
    auto declared = at_cron("30 * * * *");
    declared.max_runs = 2;
    schedule_desk desk{declared};
    CHECK(upcoming(desk.kept, 5, utc_alone) == ticks{noon + 30min, noon + 90min});
    CHECK(upcoming(desk.kept, 1, utc_alone) == ticks{noon + 30min});
    desk.look(noon + 30min);
    CHECK(upcoming(desk.kept, 5, utc_alone) == ticks{noon + 90min});
    CHECK(upcoming(schedule_desk{hourly(schedule_mode::blocking_interval)}.kept, 5, utc_alone) ==
          ticks{noon + 1h});
}

// ---- R8: what a run asks for ----

TEST_CASE("what a run asks for counts when it ends well, and only then") {
    schedule_desk desk{hourly()};
    desk.look(noon + 1h);
    const schedule_wish wish{.next_at = noon + 90min, .args = "[5]"};
    CHECK_FALSE(desk.hear(state::dead, noon + 61min, wish).changed);
    desk.hear_wish(wish, noon + 61min);
    CHECK(desk.kept.next == noon + 90min);
    CHECK(ticks_of(desk.look(noon + 90min)) == ticks{noon + 90min});
    // The grid stays.
    CHECK(desk.kept.next == noon + 2h);
}

TEST_CASE("a time in the past that a run asks for is now, and never the tick that was") {
    schedule_desk desk{hourly(schedule_mode::blocking_interval)};
    desk.look(noon + 1h);
    desk.hear_wish({.next_at = noon}, noon + 1h);
    CHECK(desk.kept.next == noon + 1h + 1ms);
}

TEST_CASE("a run may stop its schedule, and one that has ended go on at a time it asks for") {
    schedule_desk desk{hourly(schedule_mode::once)};
    desk.look(noon + 1h);
    CHECK(desk.kept.state == schedule_state::finished);
    desk.hear_wish({.next_at = noon + 3h}, noon + 61min);
    CHECK(desk.kept.state == schedule_state::active);
    CHECK(ticks_of(desk.look(noon + 3h)) == ticks{noon + 3h});
    CHECK(desk.kept.state == schedule_state::finished);

    schedule_desk stopped{hourly(schedule_mode::blocking_interval)};
    stopped.look(noon + 1h);
    stopped.hear_wish({.stop = true}, noon + 2h);
    CHECK(stopped.kept.state == schedule_state::finished);
    CHECK(stopped.kept.next == std::nullopt);

    auto bounded = hourly(schedule_mode::blocking_interval);
    bounded.timing.end = noon + 5h;
    schedule_desk ending{bounded};
    ending.look(noon + 1h);
    ending.hear_wish({.next_at = noon + 5h}, noon + 2h);
    CHECK(ending.kept.state == schedule_state::finished);
}

// ---- its record ----

TEST_CASE("a schedule's record comes back as it was written") {
    auto full = at_cron("H 3 * * *");
    full.stamp = 0x1122334455667788;
    full.last_run = derive_run_id(derive_schedule_id("report", "k"), 7);
    full.timing.begin = noon;
    full.timing.end = noon + 9h;
    full.max_runs = 12;
    full.overlap = overlap_rule::cancel_running;
    full.missed_ticks = missed_rule::skip;
    full.missed_cap = 1000;
    full.jitter = 7s;
    full.pause_on_dead = true;
    full.run.priority = 9;
    full.run.timeout = 5s;
    full.run.tags = {"a"};
    full.run.headers = {{"user", "x"}};
    full.declared_args = "[7]";
    full.state = schedule_state::paused;
    full.created = noon;
    full.timed = noon + 1s;
    full.ended = noon + 2s;
    full.declared_at = noon + 6s;
    full.next = noon + 3s;
    full.queued = noon + 4s;
    full.overtaken = {derive_run_id(full.last_run, 1), derive_run_id(full.last_run, 2)};
    full.last_tick = noon + 5s;
    full.runs = 1;
    full.skipped = 2;
    full.missed = 3;
    full.untold = 4;
    for (const auto& record : {full, hourly(), at_cron("@daily")}) {
        const auto bytes = encode(record);
        CHECK(decode_schedule(bytes) == record);
        for (std::size_t cut = 0; cut < 60; ++cut)
            CHECK_THROWS_AS(decode_schedule(std::string_view{bytes}.substr(0, cut)), bad_data);
    }
    CHECK(encode(full).substr(schedule_record::last_run_offset, 16) == full.last_run.view());
}

TEST_CASE("a schedule's timing is told in words, and its key follows from timing and arguments") {
    CHECK(timing_text({.interval = 1h}) == "every 1h after each run");
    CHECK(timing_text({.interval = 90s, .mode = fixed_rate}) == "every 90s");
    CHECK(timing_text({.interval = 48h, .mode = fixed_rate}) == "every 2d");
    CHECK(timing_text({.interval = 1500ms, .mode = schedule_mode::once}) == "once after 1500ms");
    CHECK(timing_text({.cron = "0 8 * * *", .timezone = "UTC"}) == "0 8 * * *");
    const auto key = default_schedule_key({.interval = 1h}, "[1]");
    CHECK(key == default_schedule_key({.interval = 1h, .begin = noon}, "[1]"));
    CHECK(key != default_schedule_key({.interval = 1h}, "[2]"));
    CHECK(key != default_schedule_key({.interval = 1h, .mode = fixed_rate}, "[1]"));
    CHECK(derive_schedule_id("a", "b") != derive_task_id("a", "b"));
}
