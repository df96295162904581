// What a run asks for.
#include "unit/schedule_desk.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace errand::schedule_test;
using namespace std::chrono_literals;

TEST_CASE(
    "a queued tick runs before the one that a run has asked for, and not when the run stops its schedule") {
    auto declared = hourly();
    declared.terms.overlap = overlap_rule::queue_one;
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
