// What cannot be meant is refused before anything runs, in a sentence that says what to do; what was accepted before stays.
#include "limits/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <tuple>
#include <vector>

using namespace limits_test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a schedule that cannot be meant is refused, and the ones that are there go on as they were") {
    bench t;
    const auto visits = t.app.handler<visit>();
    const auto first = t.run(visits.every(1h, {.key = "k"}, "anna", 1));
    const auto before = t.run(first.info());
    const auto refused = [&](errand::awaitable<errand::schedule> call, const std::string& why) {
        CHECK_THROWS_WITH(t.run(std::move(call)),
                          ContainsSubstring("handler \"visit\"") && ContainsSubstring(why));
    };
    refused(visits.cron("0 8 31 2 *", {.key = "k"}, "anna", 2), "never comes");
    refused(visits.cron("0 8 * * *", {.key = "k", .timezone = "Europe/Atlantis"}, "anna", 2),
            "there is no such time zone");
    refused(visits.every(0ms, {.key = "k"}, "anna", 2), "interval = 0ms: must be at least 1ms");
    const errand::time_point begin{1'800'000'000'000ms};
    refused(visits.every(1h, {.key = "k", .begin = begin, .end = begin - 1h}, "anna", 2),
            "end = 1799996400000ms since 1970: must be after begin, which is 1800000000000ms");
    refused(visits.every(1h,
                         {.key = "k",
                          .overlap = errand::overlap_rule::queue_one,
                          .missed = errand::missed_rule::run_all},
                         "anna", 2),
            "missed = run_all: cannot be given together with .overlap = queue_one");
    CHECK(t.run(t.app.schedules()).schedules.size() == 1);
    const auto after = t.run(first.info());
    CHECK(after.args == before.args);
    CHECK(after.next_at == before.next_at);
    CHECK(after.state == errand::schedule_state::active);
}

TEST_CASE("a task whose key is too long is refused, also among many, and no task is lost for it") {
    bench t;
    const auto visits = t.app.handler<visit>();
    const std::string too_long(1025, 'k');
    const auto kept = t.run(visits.perform_async("anna", 1));
    CHECK_THROWS_WITH(t.run(visits.perform_async(too_long, 2)),
                      ContainsSubstring("concurrency_key gave a key of 1025 bytes; the limit is 1024"));
    CHECK_THROWS_WITH(t.run(visits.every(1h, {}, too_long, 2)),
                      ContainsSubstring("gave a key of 1025 bytes"));
    const std::vector<std::tuple<std::string, int>> some{{"bert", 3}, {too_long, 4}};
    CHECK_THROWS_WITH(t.run(visits.perform_bulk(some)), ContainsSubstring("gave a key of 1025 bytes"));
    CHECK_THROWS_AS(t.run(errand::transaction(t.app,
                                              [&]() -> errand::awaitable<void> {
                                                  co_await visits.perform_async("carl", 5);
                                                  co_await visits.perform_async(too_long, 6);
                                              })),
                    errand::usage_error);
    CHECK(t.run(t.app.schedules()).schedules.empty());
    t.start();
    t.wait(kept);
    for (const auto& what : t.in.begun()) CHECK(what != "carl5");
    CHECK(t.in.done(too_long) == 0);
}

TEST_CASE("a rule that cannot be is refused, and the one that is in force stays") {
    bench t;
    t.run(t.app.set_limit("queue:park", {.max_running = 3}));
    const auto refused = [&](const errand::limit_rule& rule, const std::string& why) {
        CHECK_THROWS_WITH(t.run(t.app.set_limit("queue:park", rule)),
                          ContainsSubstring("\"queue:park\"") && ContainsSubstring(why));
    };
    refused({.max_running = -1}, ".max_running = -1: must be 0..");
    refused({.rate = errand::rate_limit{0, 0ms}}, ".rate.count = 0: must be 1..");
    refused({.rate = errand::rate_limit{1, 0ms}}, ".rate.per = 0ms: must be 1ms..");
    refused({.rate = errand::rate_limit{5, 1s, 9}}, ".rate.burst = 9: ");
    CHECK(t.limit("queue:park").rule() == errand::limit_rule{.max_running = 3});
}
