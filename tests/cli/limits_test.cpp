// `errand limits` and `errand limit`, run as a program.
#include <errand/error.hpp>

#include "cli/limit_views.hpp"
#include "cli/office.hpp"
#include "cli/views.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::each;
using cli_test::office;
using errand::limit_rule;

namespace {

inline const errand::limit desk{"desk", {.max_running = 4}};

struct clerk : office {
    // As a worker declares it.
    clerk() { run(app.set_limit("desk", {.max_running = 4})); }
};

}  // namespace

TEST_CASE("limits are listed, set and cleared", "[cli]") {
    office empty;
    CHECK(empty.errand({"limits"}).out == "no worker has declared a limit yet\n");
    clerk t;
    CHECK(each(t.answer({"limits"}).at("limits"), "name") == std::set<std::string>{"desk"});
    const auto set = t.answer({"limit", "desk", "max_running=2", "rate=100/min", "burst=3"});
    CHECK(set.at("set").at("max_running") == 2);
    CHECK(set.at("rule").at("rate").at("per_ms") == 60'000);
    CHECK_THAT(t.errand({"limits"}).out, ContainsSubstring("2 at once, 100/min"));
    CHECK(t.errand({"limit", "desk", "max_running=1"}).out == "limit desk allows 1 at once\n");
    CHECK_THAT(t.errand({"limit", "desc", "max_running=1"}).err,
               ContainsSubstring("the nearest is \"desk\""));
    CHECK(t.errand({"limit", "queue:mail", "rate=50/s"}).out == "limit queue:mail allows 50/s\n");
    CHECK(t.errand({"limit", "desk"}).code == 2);
    CHECK(t.errand({"limit", "desk", "max_running=1", "--clear"}).code == 2);
    CHECK(t.errand({"limit", "desk", "speed=1"}).code == 2);
    CHECK(t.errand({"limit", "desk", "--clear"}).code == 0);
}

TEST_CASE("why a ready task does not start is said where it is shown and where its queue is", "[cli]") {
    office t;
    t.run(t.app.set_limit("queue:chores", {.max_running = 0}));
    const auto h = t.submit(1);
    const std::string why = "queue:chores: 0 of 0 running";
    const auto next = "chores: the task that is next does not start: " + why;
    CHECK_THAT(t.errand({"show", h.id()}).out, ContainsSubstring("blocked by") && ContainsSubstring(why));
    CHECK_THAT(t.errand({"queues"}).out, ContainsSubstring(next));
    const auto limits = [&] { return t.answer({"queues"}).at("queues").at(0).at("blocked_by").as_array(); };
    REQUIRE(limits().size() == 1);
    CHECK_THAT(std::string{limits().at(0).as_string()}, ContainsSubstring(why));
    t.run(t.app.clear_limit("queue:chores"));
    CHECK(limits().empty());
    CHECK_THAT(t.errand({"queues"}).out, !ContainsSubstring("does not start"));
}

TEST_CASE("a limit's rule is said and read in few words") {
    using errand::cli::rule_of;
    using errand::cli::rule_text;
    CHECK(rule_of({"max_running=0"}) == limit_rule{.max_running = 0});
    CHECK(rule_of({"rate=10/s"}) == limit_rule{.rate = errand::per_second(10)});
    CHECK(rule_of({"rate=50/30s", "burst=2"}) ==
          limit_rule{.rate = errand::rate_limit{.count = 50, .per = 30s, .burst = 2}});
    CHECK(rule_text({}) == "nothing");
    CHECK(rule_text(rule_of({"max_running=25", "rate=10/min"})) == "25 at once, 10/min");
    CHECK(rule_text(rule_of({"rate=50/30s"})) == "50/30s");
    for (const auto* word : {"max_running", "max_running=x", "rate=10", "rate=10/", "rate=/s", "x=1"})
        CHECK_THROWS_AS(rule_of({word}), errand::usage_error);
    CHECK_THROWS_AS(rule_of({"burst=2"}), errand::usage_error);
}

TEST_CASE("a limit is shown with what it allows, and what is declared when that differs") {
    const errand::time_point now{1'780'000'000'000ms};
    errand::limit_info one{
        .name = "crm", .declared = limit_rule{.max_running = 25}, .running = 3, .waiting = 9};
    one.opens_at = now + 5s;
    one.throttled = 125s;
    CHECK_THAT(errand::cli::limit_table({one}, now).text(0), ContainsSubstring("25 at once") &&
                                                                 ContainsSubstring("in 5s") &&
                                                                 ContainsSubstring("2 min 5 s"));
    CHECK(errand::cli::json_of(one).at("throttled_ms") == 125'000);
    one.set = limit_rule{.max_running = 5};
    CHECK_THAT(errand::cli::limit_table({one}, now).text(0),
               ContainsSubstring("5 at once") && ContainsSubstring("25 at once"));
    CHECK(errand::cli::json_of(one).at("rule").at("max_running") == 5);
    CHECK(errand::cli::json_of(errand::limit_info{.name = "x"}).at("declared").is_null());
}
