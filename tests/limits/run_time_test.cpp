// Limits of handlers, queues and the namespace that are set at run time, also for tasks that were submitted before.
#include "limits/handlers.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <tuple>
#include <vector>

using namespace limits_test;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;

namespace limits_test {

// It has no limit of its own.
struct stroller : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform() { return hold("stroller"); }
};

}  // namespace limits_test

ERRAND_HANDLER(limits_test::stroller, .queue = "park")

namespace {

errand::config one_shard_alone() {
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    return settings;
}

std::vector<errand::handle<void>> strollers(bench& t, std::size_t count) {
    return t.run(t.app.handler<stroller>().perform_bulk(std::vector<std::tuple<>>(count)));
}

// So many run, and the others wait because of that limit; then all of them end, never more at once.
void no_more_than(bench& t, int most, const std::string& limit,
                  const std::vector<errand::handle<void>>& handles) {
    const auto waiting = static_cast<std::int64_t>(handles.size()) - most;
    eventually([&] { return t.in.now("stroller") == most && t.limit(limit).waiting == waiting; });
    CHECK(t.limit(limit).running == most);
    t.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("stroller") == most);
    t.in.release = false;
    eventually([&] { return t.limit(limit).running == 0; });
}

}  // namespace

TEST_CASE(
    "a queue, a handler and the namespace are limited at run time, for tasks that are queued already, too") {
    for (const std::string limit : {"queue:park", "handler:limits_test::stroller", "namespace"}) {
        INFO(limit);
        bench t{one_shard_alone()};
        auto handles = strollers(t, 4);
        t.run(t.app.set_limit(limit, {.max_running = 2}));
        for (auto& one : strollers(t, 3)) handles.push_back(one);
        t.start();
        no_more_than(t, 2, limit, handles);
        CHECK(t.info(handles[0]).attempt == 1);
        t.run(t.app.clear_limit(limit));
        handles = strollers(t, 5);
        eventually([&] { return t.in.now("stroller") == 5; });
        t.in.release = true;
        t.all_end(handles);
    }
}

TEST_CASE("a limit that is set while workers run holds for what they claim from then on") {
    bench t{one_shard_alone()};
    t.start();
    t.run(t.app.set_limit("queue:park", {.max_running = 1}));
    auto handles = strollers(t, 3);
    eventually([&] { return t.in.now("stroller") == 1 && t.limit("queue:park").waiting == 2; });
    CHECK(t.info(handles[2]).blocked_by == std::vector<std::string>{"queue:park: 1 of 1 running"});
    t.run(t.app.set_limit("queue:park", {.max_running = 3}));
    eventually([&] { return t.in.now("stroller") == 3; });
    t.in.release = true;
    t.all_end(handles);
}

TEST_CASE("configure limits a handler, and what it does not say is as the policy says") {
    bench t{one_shard_alone()};
    const auto handles = strollers(t, 5);
    t.run(t.app.configure("limits_test::stroller", {.max_running = 2}));
    t.start();
    no_more_than(t, 2, "handler:limits_test::stroller", handles);
    t.run(t.app.configure("limits_test::stroller", {}));
    CHECK(t.limit("handler:limits_test::stroller").rule() == errand::limit_rule{});
    // Its policy has a rate.
    t.run(t.app.configure("post", {.max_running = 7}));
    CHECK(t.limit("handler:post").rule() ==
          errand::limit_rule{.max_running = 7, .rate = errand::per_second(5)});
    t.run(t.app.configure("post", {}));
    CHECK(t.limit("handler:post").rule() == errand::limit_rule{.rate = errand::per_second(5)});
    CHECK_THROWS_WITH(t.run(t.app.configure("post", {.rate = errand::per_second(0)})),
                      ContainsSubstring("settings .rate.count = 0: must be 1.."));
    CHECK_THROWS_WITH(t.run(t.app.configure("post", {.batch = 0})),
                      ContainsSubstring(".batch = 0: must be 1..1000"));
}

TEST_CASE("a quota of what runs is in force again when the limit that was set is cleared") {
    bench t{one_shard_alone()};
    t.run(t.app.set_quota({.max_running = 2}));
    t.run(t.app.set_limit("namespace", {.max_running = 1}));
    t.start();
    auto handles = strollers(t, 4);
    eventually([&] { return t.in.now("stroller") == 1 && t.limit("namespace").waiting == 3; });
    t.run(t.app.clear_limit("namespace"));
    eventually([&] { return t.in.now("stroller") == 2 && t.limit("namespace").waiting == 2; });
    t.run(t.app.set_limit("namespace", {.max_running = 3}));
    t.run(t.app.clear_quota());
    eventually([&] { return t.in.now("stroller") == 3; });
    CHECK(t.limit("namespace").rule().max_running == 3);
    t.in.release = true;
    t.all_end(handles);
}

TEST_CASE(
    "a task that was submitted when its handler had no limits waits behind them from its first claim on") {
    bench t{one_shard_alone()};
    boost::asio::io_context io{1};
    auto older = errand::test::opened_store(io, t.app, "older");
    std::vector<errand::submission_item> items;
    for (int n = 0; n < 4; ++n) items.push_back(errand::test::item_of("[]"));
    for (auto& one : items) {
        auto body = errand::decode_body(one.body);
        body.handler = "single";
        one.body = errand::encode(body);
    }
    errand::test::await(io, older->submit(0, items, errand::submit_mode::each));
    t.start();
    eventually([&] { return t.in.now("single") == 1 && t.limit("handler:single").waiting == 3; });
    t.in.release = true;
    eventually([&] { return t.in.done("single") == 4; });
    CHECK(t.in.most_at_once("single") == 1);
}

TEST_CASE("what is no queue cannot be limited") {
    bench t;
    CHECK_THROWS_WITH(t.run(t.app.set_limit("queue:", {.max_running = 1})),
                      ContainsSubstring("limit \"queue:\": a queue's name is 1..255 bytes"));
    CHECK_THROWS_AS(t.run(t.app.set_limit("queue:a\nb", {.max_running = 1})), errand::usage_error);
}

TEST_CASE("over several shards what is spread cannot be limited at run time", "[in_shards]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 3;
    bench t{settings};
    for (const std::string limit : {"queue:park", "handler:limits_test::stroller", "namespace"}) {
        CHECK_THROWS_WITH(
            t.run(t.app.set_limit(limit, {.max_running = 1})),
            ContainsSubstring("over several shards tasks without limits of their own are spread"));
    }
    CHECK_THROWS_WITH(t.run(t.app.configure("limits_test::stroller", {.max_running = 1})),
                      ContainsSubstring("over several shards"));
    CHECK(t.run(t.app.settings_of("limits_test::stroller")).version == 0);
    // Those of a handler whose policy limits something stand in one.
    t.run(t.app.configure("single", {.max_running = 2}));
    CHECK(t.limit("handler:single").rule().max_running == 2);
}
