// Limits of handlers, queues and the namespace that are set at run time, also for tasks that were submitted before.
#include "core/task_id.hpp"
#include "limits/handlers.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>
#include <string>
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

errand::config one_shard_alone() { return errand::test::settings_in_shards(1); }

errand::config three_shards() {
    auto settings = errand::test::settings_in_shards(3);
    settings.concurrency = 40;
    return settings;
}

// In how many shards they stand.
std::size_t shards_of(const std::vector<errand::handle<void>>& handles) {
    std::set<std::size_t> all;
    for (const auto& one : handles)
        all.insert(errand::shard_of_id(errand::parse_task_id(one.id()).value(), 3));
    return all.size();
}

std::vector<errand::handle<void>> strollers(bench& t, std::size_t count) {
    return t.run(t.app.handler<stroller>().perform_bulk(std::vector<std::tuple<>>(count)));
}

// Each where its biz_id places it, so in all shards; fresh ids are in one for a while.
std::vector<errand::handle<void>> named_strollers(bench& t, std::size_t count) {
    static int number = 0;
    std::vector<errand::handle<void>> handles;
    while (handles.size() < count) {
        const auto walk = t.app.handler<stroller>().with({.biz_id = std::to_string(++number)});
        handles.push_back(t.run(walk.perform_async()));
    }
    return handles;
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

TEST_CASE(
    "over several shards a queue, a handler and the namespace are limited at run time, in all of them together",
    "[in_shards][concurrent]") {
    for (const std::string limit : {"queue:park", "handler:limits_test::stroller", "namespace"}) {
        INFO(limit);
        bench t{three_shards()};
        auto handles = named_strollers(t, 30);
        t.run(t.app.set_limit(limit, {.max_running = 4}));
        for (auto& one : named_strollers(t, 30)) handles.push_back(one);
        REQUIRE(shards_of(handles) == 3);
        t.start();
        no_more_than(t, 4, limit, handles);
        CHECK(t.limit(limit).rule().max_running == 4);
        CHECK(t.info(handles[0]).attempt == 1);
        t.run(t.app.clear_limit(limit));
        CHECK(t.limit(limit).rule() == errand::limit_rule{});
        handles = named_strollers(t, 9);
        eventually([&] { return t.in.now("stroller") == 9; });
        t.in.release = true;
        t.all_end(handles);
    }
}

TEST_CASE("over several shards two workers keep a limit of a queue together while it is changed",
          "[in_shards][concurrent]") {
    bench t{three_shards()};
    bench other{t.app.settings()};
    t.run(t.app.set_limit("queue:park", {.max_running = 1}));
    t.start();
    other.start();
    const auto handles = named_strollers(t, 30);
    const auto now = [&] { return t.in.now("stroller") + other.in.now("stroller"); };
    eventually([&] { return now() == 1 && t.limit("queue:park").waiting == 29; });
    t.run(t.app.set_limit("queue:park", {.max_running = 5}));
    eventually([&] { return now() == 5; });
    CHECK(t.limit("queue:park").running == 5);
    t.in.release = other.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("stroller") <= 5);
    CHECK(other.in.most_at_once("stroller") <= 5);
    CHECK(t.in.done("stroller") + other.in.done("stroller") == 30);
    eventually([&] { return t.limit("queue:park").running == 0; });
}

TEST_CASE("over several shards what is needed in one of them alone has the whole limit",
          "[in_shards][concurrent]") {
    bench t{three_shards()};
    t.run(t.app.set_limit("queue:park", {.max_running = 3}));
    std::vector<errand::handle<void>> handles;
    for (int n = 0; handles.size() < 5; ++n) {
        const auto name = std::to_string(n);
        const auto walk = t.app.handler<stroller>().with({.biz_id = name});
        const auto id = errand::parse_task_id(t.app.handler<stroller>().ref(name).id()).value();
        if (errand::shard_of_id(id, 3) == 2) handles.push_back(t.run(walk.perform_async()));
    }
    t.start();
    no_more_than(t, 3, "queue:park", handles);
}

TEST_CASE("over several shards a rate counts what starts in all of them", "[in_shards][concurrent]") {
    bench t{three_shards()};
    t.run(t.app.configure("limits_test::stroller",
                          {.rate = errand::rate_limit{.count = 4, .per = 1h, .burst = 4}}));
    t.in.release = true;
    t.start();
    const auto handles = named_strollers(t, 60);
    REQUIRE(shards_of(handles) == 3);
    eventually([&] {
        return t.in.done("stroller") == 4 && t.limit("handler:limits_test::stroller").waiting == 56;
    });
    CHECK(t.limit("handler:limits_test::stroller").rule().rate->count == 4);
    t.run(t.app.configure("limits_test::stroller", {}));
    t.all_end(handles);
}

TEST_CASE("over several shards a task says that the share of its shard is used up", "[in_shards]") {
    bench t{three_shards()};
    t.run(t.app.set_limit("queue:park", {.max_running = 0}));
    const auto handles = strollers(t, 1);
    CHECK(t.info(handles[0]).blocked_by ==
          std::vector<std::string>{"queue:park: 0 of 0 running in its shard"});
}

TEST_CASE("over several shards a limit of a handler whose policy limits it holds where that stands",
          "[in_shards]") {
    bench t{three_shards()};
    t.run(t.app.configure("single", {.max_running = 2}));
    CHECK(t.limit("handler:single").rule().max_running == 2);
    t.start();
    std::vector<errand::handle<void>> handles;
    for (int i = 0; i < 4; ++i) handles.push_back(t.run(t.app.handler<single>().perform_async()));
    eventually([&] { return t.in.now("single") == 2 && t.limit("handler:single").waiting == 2; });
    t.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("single") == 2);
}
