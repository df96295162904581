#include <errand/error.hpp>

#include "core/policy_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using errand::options;
using errand::policy;
using namespace std::chrono_literals;

namespace {

void policy_refused(const policy& one, const std::string& words) {
    CHECK_THROWS_WITH(errand::check_policy("shop::pay", one),
                      ContainsSubstring("\"shop::pay\"") && ContainsSubstring(words));
}

void options_refused(const options& one, const std::string& words) {
    CHECK_THROWS_WITH(errand::check_options("shop::pay", one),
                      ContainsSubstring("\"shop::pay\"") && ContainsSubstring(words));
}

}  // namespace

TEST_CASE("the defaults are in order") {
    CHECK_NOTHROW(errand::check_policy("h", policy{}));
    CHECK_NOTHROW(errand::check_options("h", options{}));
}

TEST_CASE("a bad policy is refused with handler, member and value") {
    policy_refused({.name = std::string(256, 'n')}, ".name");
    policy_refused({.name = "a\nb"}, "control characters");
    policy_refused({.aliases = {""}}, ".aliases = \"\"");
    policy_refused({.queue = ""}, ".queue");
    policy_refused({.queue = "\xff"}, "UTF-8");
    policy_refused({.timeout = -1s}, ".timeout = -1000ms: must not be negative");
    policy_refused({.max_retry = -1}, ".max_retry = -1");
    policy_refused({.priority = 10}, ".priority = 10: must be 0..9");
    policy_refused({.unique_for = -1ms}, ".unique_for = -1ms");
    policy_refused({.retention = std::chrono::days{40'000}}, ".retention");
    policy_refused({.expires_after = -5ms}, ".expires_after");
}

TEST_CASE("a policy's limits are counts and rates that can be, and names that stand there once") {
    CHECK_NOTHROW(errand::check_policy("h", policy{.max_running = 0}));
    CHECK_NOTHROW(errand::check_policy("h", policy{.rate = errand::per_second(5), .limits = {"a", "b"}}));
    policy_refused({.max_running = -1}, "policy .max_running = -1: must be 0..2147483647; 0 lets none run");
    policy_refused({.rate = errand::per_second(0)}, "policy .rate.count = 0: must be 1..");
    policy_refused({.rate = errand::rate_limit{.count = 5, .burst = 6}}, "policy .rate.burst = 6");
    policy_refused({.limits = {"a", "b", "c", "d", "e"}}, ".limits = 5 names: must not be more than 4");
    policy_refused({.limits = {"a", "b", "a"}}, ".limits = \"a\": is named twice");
}

TEST_CASE("a policy's cron line must come some time, and needs no arguments") {
    CHECK_NOTHROW(errand::check_policy("h", policy{.cron = "0 8 * * *", .timezone = "Asia/Shanghai"}));
    CHECK_NOTHROW(errand::check_policy("h", policy{.timezone = "UTC"}, 2));
    policy_refused({.cron = "0 8 31 2 *"}, "policy .cron = \"0 8 31 2 *\": never comes");
    policy_refused({.cron = "x"}, "policy .cron = \"x\"");
    CHECK_THROWS_WITH(errand::check_policy("h", policy{.cron = "@daily"}, 1),
                      ContainsSubstring("policy .cron = \"@daily\": perform takes arguments"));
}

TEST_CASE("bad options are refused with handler, member and value") {
    options_refused({.biz_id = ""}, ".biz_id");
    options_refused({.biz_id = std::string(513, 'b')}, "is 513 bytes long; the limit is 512");
    options_refused({.biz_id = "caf\xe9"}, "must be UTF-8");
    options_refused({.queue = std::string(300, 'q')}, "300 bytes");
    options_refused({.delay = std::chrono::days{40'000}}, ".delay");
    options_refused({.delay = 1s, .at = errand::time_point{}}, "cannot be given together with .delay");
    options_refused({.at = errand::time_point::max()}, ".at");
    options_refused({.priority = -1}, ".priority = -1");
    options_refused({.timeout = -1ms}, ".timeout");
    options_refused({.max_retry = -2}, ".max_retry = -2");
    options_refused({.headers = {{"", "x"}}}, ".headers");
    options_refused({.tags = {"a\tb"}}, ".tags");
}

TEST_CASE("a business identity is UTF-8 of at most 512 bytes") {
    CHECK_NOTHROW(errand::check_options("h", {.biz_id = std::string(512, 'b')}));
    CHECK_NOTHROW(errand::check_options("h", {.biz_id = "caf\xc3\xa9\n1"}));
    CHECK_THROWS_AS(errand::check_biz_id("h", "\xc3"), errand::usage_error);
}

TEST_CASE("a negative delay is none") {
    CHECK_NOTHROW(errand::check_options("h", {.delay = -5s}));
    CHECK_NOTHROW(errand::check_options("h", {.delay = errand::duration::min()}));
}
