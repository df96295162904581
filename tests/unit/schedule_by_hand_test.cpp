// Pauses, runs by hand, backfill.
#include <errand/error.hpp>

#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

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
    declared.terms.pause_on_dead = true;
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
