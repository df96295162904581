#include <errand/error.hpp>

#include "core/tick_plan.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr time_point midday{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + 12h};

tick_plan every(duration interval, schedule_mode mode, tick_window window = {}) {
    return {interval_ticks{.interval = interval, .mode = mode}, window, midday};
}
tick_plan plan_of(std::string_view line, tick_window window = {}) {
    return {cron_ticks{cron_line::parse(line, {}), time_zone::utc()}, window, midday};
}

template <class Check, class Of>
std::string tick_refusal(Check check, const Of& of) {
    try {
        check(of);
    } catch (const usage_error& why) {
        return why.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("the first tick is begin, or an interval after the declaration") {
    for (const auto mode :
         {schedule_mode::blocking_interval, schedule_mode::fixed_rate, schedule_mode::once}) {
        CHECK(every(1h, mode).first() == midday + 1h);
        CHECK(every(1h, mode, {.begin = midday + 5min, .end = {}}).first() == midday + 5min);
        CHECK(every(1h, mode, {.begin = midday, .end = {}}).first() == midday);
        // Not before `end`, which is none itself.
        CHECK(every(1h, mode, {.begin = {}, .end = midday + 1h}).first() == std::nullopt);
        CHECK(every(1h, mode, {.begin = {}, .end = midday + 1h + 1ms}).first() == midday + 1h);
    }
    // A begin that has passed: a fixed rate stays on its grid, the others begin at once.
    const tick_window passed{.begin = midday - 100min, .end = {}};
    CHECK(every(1h, schedule_mode::fixed_rate, passed).first() == midday + 20min);
    CHECK(every(1h, schedule_mode::blocking_interval, passed).first() == midday);
    CHECK(every(1h, schedule_mode::once, passed).first() == midday);
    CHECK(plan_of("0 8 * * *").first() == midday + 20h);
    CHECK(plan_of("0 8 * * *", {.begin = midday + 20h, .end = {}}).first() == midday + 20h);
    CHECK(plan_of("0 8 * * *", {.begin = midday + 20h + 1ms, .end = {}}).first() == midday + 44h);
    CHECK(plan_of("0 8 * * *", {.begin = {}, .end = midday + 20h}).first() == std::nullopt);
}

TEST_CASE("a fixed rate stays on its grid however late it is asked") {
    const auto plan = every(7min, schedule_mode::fixed_rate, {.begin = midday, .end = midday + 1h});
    CHECK(plan.next(midday) == midday + 7min);
    CHECK(plan.next(midday + 7min - 1ms) == midday + 7min);
    CHECK(plan.next(midday + 20min) == midday + 21min);
    CHECK(plan.next(midday + 56min) == std::nullopt);
    CHECK(plan.next(midday - 30h) == midday);
    CHECK(plan.previous(midday) == std::nullopt);
    CHECK(plan.previous(midday + 1ms) == midday);
    CHECK(plan.previous(midday + 30h) == midday + 56min);
    CHECK(plan.count(midday, midday + 7min) == 1);
    CHECK(plan.count(midday, midday + 7min + 1ms) == 2);
    CHECK(plan.count(midday - 30h, midday + 30h) == 9);
    CHECK(plan.count(midday + 30h, midday) == 0);
    // A million years of milliseconds would overflow nothing, a century of them is counted at once.
    CHECK(every(1ms, schedule_mode::fixed_rate).count(midday, midday + 24h * 36'525) ==
          24LL * 36'525 * 3'600'000 - 1);
}

TEST_CASE("the planned ticks of a plan agree with each other, however they are asked for") {
    std::mt19937_64 random{5};
    const std::vector plans{
        every(7min, schedule_mode::fixed_rate, {.begin = midday - 3h, .end = midday + 40h}),
        every(1h + 1ms, schedule_mode::fixed_rate),
        plan_of("*/7 9-17 * * *", {.begin = midday + 90s, .end = midday + 50h}), plan_of("*/20 * * * * *")};
    for (const auto& plan : plans) {
        for (int n = 0; n < 200; ++n) {
            const auto from =
                midday + duration{std::uniform_int_distribution{-10'000'000, 100'000'000}(random)};
            const auto to = from + duration{std::uniform_int_distribution{0, 50'000'000}(random)};
            const auto ticks = ticks_between(plan, from, to, 100'000);
            CHECK(plan.count(from, to) == static_cast<std::int64_t>(ticks.size()));
            auto before = to;
            for (auto tick = ticks.rbegin(); tick != ticks.rend(); ++tick) {
                REQUIRE(plan.previous(before) == *tick);
                before = *tick;
            }
            const auto earlier = plan.previous(before);
            CHECK((!earlier || *earlier < from));
        }
    }
    CHECK(ticks_between(plans[1], midday, midday + 24h, 3).size() == 3);
}

TEST_CASE("a blocking interval follows the end of its run, and has no planned ticks") {
    const auto plan = every(1h, schedule_mode::blocking_interval, {.begin = {}, .end = midday + 5h});
    CHECK(plan.follows_runs());
    CHECK(plan.next(midday) == std::nullopt);
    CHECK(plan.count(midday, midday + 30h) == 0);
    CHECK(plan.after_run(midday + 80min) == midday + 140min);
    CHECK(plan.after_run(midday + 4h) == std::nullopt);
    CHECK(every(1h, schedule_mode::fixed_rate).after_run(midday) == std::nullopt);
}

TEST_CASE("nothing is made up after a pause") {
    CHECK(every(1h, schedule_mode::fixed_rate).after_pause(midday + 1h, midday + 150min) == midday + 3h);
    CHECK(every(1h, schedule_mode::fixed_rate).after_pause(midday + 1h, midday + 30min) == midday + 1h);
    CHECK(every(1h, schedule_mode::blocking_interval).after_pause(midday + 1h, midday + 5h) == midday + 6h);
    CHECK(every(1h, schedule_mode::blocking_interval).after_pause(std::nullopt, midday + 5h) == std::nullopt);
    CHECK(every(1h, schedule_mode::once).after_pause(midday + 1h, midday + 5h) == std::nullopt);
    CHECK(plan_of("0 8 * * *").after_pause(midday + 20h, midday + 20h + 1ms) == midday + 44h);
}

TEST_CASE("the gap after a tick bounds what it may be put off") {
    CHECK(every(5min, schedule_mode::fixed_rate).gap(midday) == 5min);
    CHECK(every(5min, schedule_mode::blocking_interval).gap(midday) == 5min);
    CHECK(every(5min, schedule_mode::once).gap(midday) == duration::max());
    CHECK(plan_of("0 8,9 * * *").gap(midday - 4h) == 1h);
    CHECK(plan_of("0 8,9 * * *", {.begin = {}, .end = midday}).gap(midday - 3h) == 23h);
}

TEST_CASE("an interval of zero and an end that is not after the begin are refused") {
    const auto timing = [](const interval_ticks& of) { check_timing(of); };
    CHECK(tick_refusal(timing, interval_ticks{}) == "interval = 0ms: must be at least 1ms");
    CHECK(tick_refusal(timing, interval_ticks{.interval = -1s}) ==
          "interval = -1000ms: must be at least 1ms");
    CHECK(tick_refusal(timing, interval_ticks{.interval = 24h * 40'000}) ==
          "interval = 3456000000000ms: must not be longer than 100 years");
    CHECK(tick_refusal(timing, interval_ticks{.interval = 1ms}) == "accepted");
    const auto window = [](const tick_window& of) { check_window(of); };
    CHECK(tick_refusal(window, tick_window{.begin = time_point{2s}, .end = time_point{2s}}) ==
          "end = 2000ms since 1970: must be after begin, which is 2000ms");
    CHECK(tick_refusal(window, tick_window{.begin = time_point{24h * 400'000}, .end = {}}) ==
          "begin = 34560000000000ms since 1970: must be before the year 2970");
    CHECK(tick_refusal(window, tick_window{.begin = midday, .end = midday + 1ms}) == "accepted");
}
