#include <errand/error.hpp>

#include "core/tick_plan.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr time_point noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + 12h};

tick_plan every(duration interval, schedule_mode mode, tick_window window = {}) {
    return {interval_ticks{.interval = interval, .mode = mode}, window, noon};
}
tick_plan at_cron(std::string_view line, tick_window window = {}) {
    return {cron_ticks{cron_line::parse(line, {}), time_zone::utc()}, window, noon};
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
        CHECK(every(1h, mode).first() == noon + 1h);
        CHECK(every(1h, mode, {.begin = noon + 5min, .end = {}}).first() == noon + 5min);
        CHECK(every(1h, mode, {.begin = noon, .end = {}}).first() == noon);
        // Not before `end`, which is none itself.
        CHECK(every(1h, mode, {.begin = {}, .end = noon + 1h}).first() == std::nullopt);
        CHECK(every(1h, mode, {.begin = {}, .end = noon + 1h + 1ms}).first() == noon + 1h);
    }
    // A begin that has passed: a fixed rate stays on its grid, the others begin at once.
    const tick_window passed{.begin = noon - 100min, .end = {}};
    CHECK(every(1h, schedule_mode::fixed_rate, passed).first() == noon + 20min);
    CHECK(every(1h, schedule_mode::blocking_interval, passed).first() == noon);
    CHECK(every(1h, schedule_mode::once, passed).first() == noon);
    CHECK(at_cron("0 8 * * *").first() == noon + 20h);
    CHECK(at_cron("0 8 * * *", {.begin = noon + 20h, .end = {}}).first() == noon + 20h);
    CHECK(at_cron("0 8 * * *", {.begin = noon + 20h + 1ms, .end = {}}).first() == noon + 44h);
    CHECK(at_cron("0 8 * * *", {.begin = {}, .end = noon + 20h}).first() == std::nullopt);
}

TEST_CASE("a fixed rate stays on its grid however late it is asked") {
    const auto plan = every(7min, schedule_mode::fixed_rate, {.begin = noon, .end = noon + 1h});
    CHECK(plan.next(noon) == noon + 7min);
    CHECK(plan.next(noon + 7min - 1ms) == noon + 7min);
    CHECK(plan.next(noon + 20min) == noon + 21min);
    CHECK(plan.next(noon + 56min) == std::nullopt);
    CHECK(plan.next(noon - 30h) == noon);
    CHECK(plan.previous(noon) == std::nullopt);
    CHECK(plan.previous(noon + 1ms) == noon);
    CHECK(plan.previous(noon + 30h) == noon + 56min);
    CHECK(plan.count(noon, noon + 7min) == 1);
    CHECK(plan.count(noon, noon + 7min + 1ms) == 2);
    CHECK(plan.count(noon - 30h, noon + 30h) == 9);
    CHECK(plan.count(noon + 30h, noon) == 0);
    // A million years of milliseconds would overflow nothing, a century of them is counted at once.
    CHECK(every(1ms, schedule_mode::fixed_rate).count(noon, noon + 24h * 36'525) ==
          24LL * 36'525 * 3'600'000 - 1);
}

TEST_CASE("the planned ticks of a plan agree with each other, however they are asked for") {
    std::mt19937_64 random{5};
    const std::vector plans{every(7min, schedule_mode::fixed_rate, {.begin = noon - 3h, .end = noon + 40h}),
                            every(1h + 1ms, schedule_mode::fixed_rate),
                            at_cron("*/7 9-17 * * *", {.begin = noon + 90s, .end = noon + 50h}),
                            at_cron("*/20 * * * * *")};
    for (const auto& plan : plans) {
        for (int n = 0; n < 200; ++n) {
            const auto from =
                noon + duration{std::uniform_int_distribution{-10'000'000, 100'000'000}(random)};
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
    CHECK(ticks_between(plans[1], noon, noon + 24h, 3).size() == 3);
}

TEST_CASE("a blocking interval follows the end of its run, and has no planned ticks") {
    const auto plan = every(1h, schedule_mode::blocking_interval, {.begin = {}, .end = noon + 5h});
    CHECK(plan.follows_runs());
    CHECK(plan.next(noon) == std::nullopt);
    CHECK(plan.count(noon, noon + 30h) == 0);
    CHECK(plan.after_run(noon + 80min) == noon + 140min);
    CHECK(plan.after_run(noon + 4h) == std::nullopt);
    CHECK(every(1h, schedule_mode::fixed_rate).after_run(noon) == std::nullopt);
}

TEST_CASE("nothing is made up after a pause") {
    CHECK(every(1h, schedule_mode::fixed_rate).after_pause(noon + 1h, noon + 150min) == noon + 3h);
    CHECK(every(1h, schedule_mode::fixed_rate).after_pause(noon + 1h, noon + 30min) == noon + 1h);
    CHECK(every(1h, schedule_mode::blocking_interval).after_pause(noon + 1h, noon + 5h) == noon + 6h);
    CHECK(every(1h, schedule_mode::blocking_interval).after_pause(std::nullopt, noon + 5h) == std::nullopt);
    CHECK(every(1h, schedule_mode::once).after_pause(noon + 1h, noon + 5h) == std::nullopt);
    CHECK(at_cron("0 8 * * *").after_pause(noon + 20h, noon + 20h + 1ms) == noon + 44h);
}

TEST_CASE("the gap after a tick bounds what it may be put off") {
    CHECK(every(5min, schedule_mode::fixed_rate).gap(noon) == 5min);
    CHECK(every(5min, schedule_mode::blocking_interval).gap(noon) == 5min);
    CHECK(every(5min, schedule_mode::once).gap(noon) == duration::max());
    CHECK(at_cron("0 8,9 * * *").gap(noon - 4h) == 1h);
    CHECK(at_cron("0 8,9 * * *", {.begin = {}, .end = noon}).gap(noon - 3h) == 23h);
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
    CHECK(tick_refusal(window, tick_window{.begin = noon, .end = noon + 1ms}) == "accepted");
}
