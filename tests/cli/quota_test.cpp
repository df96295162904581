// `errand quota`, run as a program, and how a quota is said.
#include <errand/error.hpp>

#include "cli/office.hpp"
#include "cli/quota_views.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::office;
using errand::quota;

TEST_CASE("a quota is shown, set by its members and cleared", "[cli]") {
    office t;
    CHECK_THAT(t.errand({"quota"}).out, ContainsSubstring(": nothing is limited\n0 tasks are queued\n"));
    const auto set = t.answer({"quota", "set", "max_queued=10", "submit_rate=100/min", "burst=20"});
    CHECK(set.at("quota").at("max_queued") == 10);
    CHECK(set.at("quota").at("submit_rate").at("per_ms") == 60'000);
    CHECK(set.at("quota").at("submit_rate").at("burst") == 20);
    CHECK(set.at("quota").at("max_payload").is_null());
    CHECK(set.at("version") == 1);
    CHECK_THAT(t.errand({"quota", "set", "max_queued=0", "submit_rate="}).out,
               ContainsSubstring(": max_queued=0\n"));
    const auto refused = t.errand({"perform", "whatever", "[]"});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, ContainsSubstring("lets 0 tasks be queued"));
    CHECK(t.errand({"quota", "set"}).code == 2);
    CHECK(t.errand({"quota", "clear", "max_queued=1"}).code == 2);
    CHECK(t.errand({"quota", "set", "speed=1"}).code == 2);
    CHECK(t.errand({"quota", "set", "max_queued=-1"}).code == 2);
    CHECK_THAT(t.errand({"quota", "clear"}).out, ContainsSubstring(": nothing is limited\n"));
    CHECK(t.errand({"perform", "whatever", "[]"}).code == 0);
    CHECK_THAT(t.errand({"quota"}).out, ContainsSubstring("1 task is queued"));
    const auto below = t.errand({"quota", "set", "max_queued=0"});
    CHECK(below.code == 2);
    CHECK_THAT(below.err, ContainsSubstring("1 task is queued now") && ContainsSubstring("--below-queued"));
    CHECK(t.answer({"quota", "set", "max_queued=0", "--below-queued"}).at("quota").at("max_queued") == 0);
}

TEST_CASE("a quota is said and read in few words") {
    using errand::cli::quota_over;
    using errand::cli::quota_text;
    const auto all = quota_over({}, {"max_queued=5", "submit_rate=50/30s", "burst=7", "max_schedules=3",
                                     "max_payload=4096"});
    CHECK(all == quota{.max_queued = 5,
                       .submit_rate = errand::rate_limit{50, 30s, 7},
                       .max_schedules = 3,
                       .max_payload = 4096});
    CHECK(quota_text(all) == "max_queued=5 submit_rate=50/30s burst=7 max_schedules=3 max_payload=4096");
    CHECK(quota_over(all, {"submit_rate=", "max_queued=", "max_schedules="}) == quota{.max_payload = 4096});
    CHECK(quota_over({}, {"max_running=4"}) == quota{.max_running = 4});
    CHECK(quota_text({.max_running = 4}) == "max_running=4");
    CHECK(quota_over(all, {"burst="}).submit_rate == errand::rate_limit{50, 30s, 0});
    CHECK(quota_over(all, {"submit_rate=90/s"}).submit_rate == errand::rate_limit{90, 1s, 7});
    CHECK(quota_text({}) == "nothing is limited");
    for (const auto* word : {"max_queued", "max_queued=x", "submit_rate=10", "submit_rate=/s", "x=1"})
        CHECK_THROWS_AS(quota_over({}, {word}), errand::usage_error);
    CHECK_THROWS_AS(quota_over({}, {"burst=2"}), errand::usage_error);
}
