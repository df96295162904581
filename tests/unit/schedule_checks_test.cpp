#include <errand/error.hpp>

#include "core/schedule_checks.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace std::chrono_literals;

namespace {

std::string every_refusal(const schedule_options& how, duration interval = 1h) {
    try {
        check_schedule("shop::pay", how, interval, false);
    } catch (const usage_error& why) {
        return why.what();
    }
    return "accepted";
}

std::string cron_refusal(const schedule_options& how) {
    try {
        check_schedule("shop::pay", how, 0ms, true);
    } catch (const usage_error& why) {
        return why.what();
    }
    return "accepted";
}

std::string in_words(const std::string& rest) { return "handler \"shop::pay\": schedule ." + rest; }

constexpr time_point in_november{std::chrono::sys_days{std::chrono::year{2026} / 11 / 22} + 12h};

}  // namespace

TEST_CASE("a schedule with its defaults is in order") {
    CHECK(every_refusal({}) == "accepted");
    CHECK(cron_refusal({}) == "accepted");
    CHECK(cron_refusal({.key = std::string(255, 'k'),
                        .begin = in_november,
                        .end = in_november + 1ms,
                        .max_runs = 1,
                        .timezone = "Asia/Shanghai",
                        .missed = missed_rule::run_all,
                        .missed_cap = 1000,
                        .jitter = 1h,
                        .run = {.queue = "q", .headers = {{"a", "b"}}, .tags = {"t"}}}) == "accepted");
}

TEST_CASE("a bad member of a schedule is refused by name and value") {
    CHECK(every_refusal({}, 0ms) == in_words("interval = 0ms: must be at least 1ms"));
    CHECK(every_refusal({.key = std::string(256, 'k')}).ends_with("is 256 bytes long; the limit is 255"));
    CHECK(every_refusal({.key = "a\nb"}).ends_with("must not contain control characters"));
    CHECK(every_refusal({.key = "caf\xe9"}).ends_with("must be UTF-8"));
    CHECK(every_refusal({.key = "policy"}) ==
          in_words("key = \"policy\": is the key of the schedule that the policy's .cron declares"));
    CHECK(every_refusal({.begin = in_november, .end = in_november}).starts_with(in_words("end = ")));
    CHECK(every_refusal({.max_runs = 0}) == in_words("max_runs = 0: must be at least 1"));
    CHECK(every_refusal({.missed_cap = 0}) == in_words("missed_cap = 0: must be 1..1000"));
    CHECK(every_refusal({.missed_cap = 1001}) == in_words("missed_cap = 1001: must be 1..1000"));
    CHECK(every_refusal({.jitter = -1ms}) == in_words("jitter = -1ms: must not be negative"));
    CHECK(
        every_refusal({.jitter = std::chrono::days{40'000}}).ends_with("must not be longer than 100 years"));
    CHECK(every_refusal({.overlap = overlap_rule::queue_one, .missed = missed_rule::run_all})
              .starts_with(in_words("missed = run_all: cannot be given together with .overlap = queue_one")));
}

TEST_CASE("what belongs to cron is refused of intervals, and the other way round") {
    CHECK(every_refusal({.timezone = "UTC"}) == in_words("timezone = \"UTC\": is of cron() alone"));
    CHECK(cron_refusal({.mode = fixed_rate}) ==
          in_words("mode: is of every() alone; a cron line says when it ticks"));
}

TEST_CASE("options that have no meaning for runs are refused by name") {
    const auto no_meaning = [](const std::string& member) {
        return in_words("run." + member + ": has no meaning for runs of a schedule");
    };
    CHECK(every_refusal({.run = {.biz_id = "x"}}) == no_meaning("biz_id"));
    CHECK(every_refusal({.run = {.delay = 1s}}) == no_meaning("delay"));
    CHECK(every_refusal({.run = {.at = in_november}}) == no_meaning("at"));
    CHECK(every_refusal({.run = {.after = {dependency{"x"}}}}) == no_meaning("after"));
    CHECK(every_refusal({.run = {.on_failed_dependency = errand::wait}}) ==
          no_meaning("on_failed_dependency"));
    CHECK(every_refusal({.run = {.on_duplicate = errand::reject}}) == no_meaning("on_duplicate"));
}

TEST_CASE("cron lines that are none or never come and zones that are unknown are refused") {
    using Catch::Matchers::ContainsSubstring;
    using Catch::Matchers::StartsWith;
    const cron_seed seed{.handler = "shop::pay", .key = "k"};
    CHECK_NOTHROW(check_cron("shop::pay", "schedule", "H 8 * * 1-5", seed));
    CHECK_THROWS_WITH(check_cron("shop::pay", "schedule", "", seed),
                      StartsWith(in_words("cron = \"\": must not be empty")));
    CHECK_THROWS_WITH(check_cron("shop::pay", "schedule", "0 8 31 2 *", seed),
                      StartsWith(in_words("cron = \"0 8 31 2 *\": never comes")));
    CHECK_THROWS_WITH(check_cron("shop::pay", "policy", "61 8 * * *", seed),
                      StartsWith("handler \"shop::pay\": policy .cron = "));
    const zone_source none = [](std::string_view) -> std::shared_ptr<const time_zone> {
        throw usage_error{"timezone = \"Mars\": there is no such time zone"};
    };
    CHECK_THROWS_WITH(check_zone("shop::pay", "schedule", "Mars", none),
                      StartsWith(in_words("timezone = \"Mars\": there is no such")));
}
