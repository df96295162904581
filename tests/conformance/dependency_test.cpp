// Tasks that wait for tasks, as a user writes them.
#include "conformance/depend_bench.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <set>

using namespace std::chrono_literals;
using namespace depend_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::eventually;
using errand::test::keeps_no;

TEST_CASE("a task waits until the one it depends on has succeeded, across queues", "[depend]") {
    bench t{queues({"one", "two"})};
    auto a = t.submit("a", in("one"));
    auto b = t.submit("b", in("two", {a}));
    const auto info = t.info(b);
    CHECK(info.state == state::waiting);
    CHECK(info.after == std::vector{a.id()});
    CHECK(info.waits_for == std::vector{a.id()});
    CHECK(info.waits_for_count == 1);
    t.start();
    CHECK(t.wait(b) == "b!");
    CHECK(t.lines() == std::vector<std::string>{"a", "b"});
    CHECK(t.info(b).waits_for_count == 0);
}

TEST_CASE("a task may wait for one that is submitted later", "[depend]") {
    bench t;
    t.start();
    auto c = t.submit("c", {.after = {t.ref("b")}});
    auto b = t.submit("b", {.after = {t.ref("a")}});
    CHECK(t.state_of(c) == state::waiting);
    t.submit("a");
    CHECK(t.wait(c) == "c!");
    CHECK(t.lines() == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a task that ended long ago is waited for no more", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a");
    t.wait(a);
    t.stop();
    auto b = t.submit("b", {.after = {a, t.ref("a")}});
    CHECK(t.info(b).waits_for_count == 0);
    // Where different servers keep them, a worker has to look whether it may run.
    if (errand::test::shards_of_tests() == 1) CHECK(t.state_of(b) == state::ready);
    t.start();
    CHECK(t.wait(b) == "b!");
}

TEST_CASE("results of dependencies are there for who depends on them", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a");
    auto b = t.submit("b");
    auto j = t.run(t.app.handler<depend_test::join>()
                       .with({.after = {a, b}})
                       .perform_async(std::vector{b.id(), a.id()}, "a"));
    CHECK(t.wait(j) == "b!a!a!");
}

TEST_CASE("a result is refused with words while its task has not ended", "[depend]") {
    bench t;
    t.start();
    auto late = t.submit("late", {.delay = 1h});
    auto j = t.run(t.app.handler<depend_test::join>().perform_async(std::vector{late.id()}, ""));
    CHECK_THROWS_MATCHES(t.wait(j), errand::task_failed, MessageMatches(ContainsSubstring("has not ended")));
}

TEST_CASE("a task may wait for thousands, and thousands for one", "[depend]") {
    bench t;
    constexpr int width = 3000;
    auto root = t.submit("root", {.delay = 1h});
    std::vector<errand::dependency> all;
    for (int i = 0; i < width; ++i) {
        all.push_back(t.submit("n" + std::to_string(i), {.after = {root}}));
    }
    auto end = t.submit("end", {.after = all});
    CHECK(t.info(end).state == state::waiting);
    CHECK(t.info(end).waits_for_count == width);
    CHECK(t.info(end).waits_for.size() == 100);
    t.start();
    t.run(root.cancel());
    t.ends_as(end, state::cancelled);
    CHECK(t.run(root.revive()));
    t.ends_as(end, state::success);
    CHECK(t.lines().size() == width + 2);
    CHECK(t.lines().back() == "end");
}

TEST_CASE("a cancelled task that waited for very many is submitted anew", "[depend]") {
    bench t;
    std::vector<errand::dependency> all;
    for (int i = 0; i < 1500; ++i) all.push_back(t.ref("never" + std::to_string(i)));
    auto first = t.submit("again", {.after = all});
    CHECK(t.info(first).waits_for_count == 1500);
    t.run(first.cancel());
    auto second = t.submit("again", {.after = {t.ref("never0")}});
    CHECK_FALSE(second.duplicate());
    CHECK(t.info(second).waits_for_count == 1);
    t.run(second.cancel());
    auto third = t.submit("again");
    t.start();
    t.ends_as(third, state::success);
}

TEST_CASE("a task that waits for very many is not replaced, but submitted anew once it is cancelled",
          "[depend]") {
    bench t;
    std::vector<errand::dependency> all;
    for (int i = 0; i < 1001; ++i) all.push_back(t.ref("never" + std::to_string(i)));
    auto first = t.submit("again", {.after = all});
    CHECK_THROWS_MATCHES(t.submit("again", {.on_duplicate = errand::replace}), errand::duplicate_task,
                         MessageMatches(ContainsSubstring("or waits for over 500 tasks")));
    CHECK(t.info(first).waits_for_count == 1001);
    CHECK(t.run(first.cancel()));
    auto second = t.submit("again", {.on_duplicate = errand::replace});
    t.start();
    t.ends_as(second, state::success);
}

TEST_CASE("a delay beside after counts from the submission", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a", {.delay = 30ms});
    // Longer than two servers may differ by.
    const auto delay = 60ms + errand::test::clocks_apart();
    auto b = t.submit("b", {.delay = delay, .after = {a}});
    auto c = t.submit("c", {.delay = 1h, .after = {a}});
    CHECK(t.wait(b) == "b!");
    const auto info = t.info(b);
    CHECK(*info.started_at - *info.submitted_at + errand::test::clocks_apart() >= delay);
    t.ends_as(c, state::delayed);
    CHECK(*t.info(c).due_at - *t.info(c).submitted_at >= 1h);
}

TEST_CASE("a waiting task can be cancelled, expires, and is replaced", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a", {.delay = 1h});
    auto b = t.submit("b", {.after = {a}});
    CHECK(t.run(b.cancel()));
    CHECK(t.state_of(b) == state::cancelled);
    auto c = t.submit("c", {.expires_after = 20ms, .after = {a}});
    t.ends_as(c, state::expired);
    auto d = t.submit("d", {.after = {a}});
    auto e = t.submit("e", {.after = {d}});
    auto again = t.submit("d", {.on_duplicate = errand::replace});
    CHECK(again.id() == d.id());
    CHECK(t.wait(e) == "e!");
}

TEST_CASE("an expired dependency counts as failed, and a cancelled one", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a", {.after = {t.ref("never")}});
    auto b = t.submit("b", {.after = {a}});
    t.run(a.cancel());
    t.ends_as(b, state::cancelled);
    CHECK_THAT(t.info(b).errors.back().message, ContainsSubstring("ended cancelled"));
    auto late = t.submit("late", {.expires_after = 10ms, .after = {t.ref("never")}});
    auto after = t.submit("after", {.after = {late}});
    t.ends_as(after, state::cancelled);
    CHECK(t.state_of(late) == state::expired);
    CHECK_THAT(t.info(after).errors.back().message, ContainsSubstring("ended expired"));
}

TEST_CASE("a handle of a task that is no longer kept is refused, a ref waits", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a", {.retention = 0ms});
    eventually([&] { return !t.run(t.app.find(a.id())); });
    CHECK_THROWS_MATCHES(t.submit("b", {.after = {a}}), errand::result_gone,
                         MessageMatches(ContainsSubstring(a.id())));
    CHECK(t.state_of(t.submit("c", {.after = {t.ref("a")}})) == state::waiting);
}

TEST_CASE("a dependency of which nothing is kept is heard all the same", "[depend]") {
    bench t;
    t.start();
    auto b = t.submit("b", {.after = {t.ref("a")}});
    t.submit("a", {.retention = 0ms});
    CHECK(t.wait(b) == "b!");
}

TEST_CASE("a bulk submission may wait, item by item refused", "[depend]") {
    bench t;
    t.start();
    auto gate = t.submit("gate", {.delay = 50ms});
    auto all = t.run(t.app.handler<step>()
                         .with({.after = {gate}})
                         .perform_bulk(std::vector<std::tuple<std::string, bool>>{
                             {"x", false}, {"y", false}, {"x", false}}));
    CHECK(all[2].duplicate());
    for (const auto& h : all) t.wait(h);
    CHECK(t.lines().size() == 3);
    CHECK(t.lines().front() == "gate");
}

TEST_CASE("with the tasks their edges are deleted", "[depend]") {
    bench t;
    broken = true;
    t.start();
    const errand::options short_lived{.retention = 2s};
    auto a = t.submit("a", short_lived, true);
    auto b = t.submit("b", {.retention = 2s, .after = {a}});
    auto c = t.submit("c", short_lived);
    auto d = t.submit("d", {.retention = 2s, .after = {c}});
    auto e = t.submit("e", {.retention = 2s, .after = {a}, .on_failed_dependency = errand::run});
    t.wait(d);
    t.ends_as(b, state::cancelled);
    t.ends_as(e, state::success);
    boost::asio::io_context io{1};
    auto store = errand::test::opened_store(io, t.app);
    eventually([&] {
        errand::test::await(io, store->clean(100));
        return keeps_no(t.app.settings(), "tasks");
    });
    store->close();
    // Of other shards a resolver deletes them.
    eventually([&] { return keeps_no(t.app.settings(), "links"); });
    CHECK(keeps_no(t.app.settings(), "waiting"));
    CHECK(keeps_no(t.app.settings(), "watched"));
}

TEST_CASE("the graph of a task shows all that is connected with it", "[depend]") {
    bench t;
    t.start();
    auto a = t.submit("a");
    t.wait(a);
    auto b = t.submit("b", {.after = {a}});
    auto c = t.submit("c", {.after = {b, t.ref("later \"one\"")}});
    t.submit("apart");
    t.wait(b);
    const auto graph = t.run(t.app.graph(b.id())).value();
    REQUIRE(graph.nodes.size() == 4);
    CHECK(graph.complete);
    CHECK(graph.nodes[0].id == b.id());
    std::set<std::string> edges;
    for (const auto& edge : graph.edges) {
        edges.insert(graph.nodes[edge.from].biz_id.value_or("?") + graph.nodes[edge.to].biz_id.value_or("?"));
    }
    CHECK(edges == std::set<std::string>{"ab", "bc", "?c"});
    CHECK_THAT(graph.dot(), ContainsSubstring("depend_test::step\\nc\\nwaiting"));
    CHECK_THAT(graph.dot(), ContainsSubstring("not submitted"));
    CHECK_THAT(graph.mermaid(), ContainsSubstring("flowchart LR") && ContainsSubstring("-->"));
    CHECK_FALSE(t.run(t.app.graph(c.id(), 2)).value().complete);
    CHECK_FALSE(t.run(t.app.graph(t.ref("unknown").id())));
}

TEST_CASE("a registration whose submitter died is completed by a resolver", "[depend]") {
    bench t;
    boost::asio::io_context io{1};
    auto store = errand::test::opened_store(io, t.app);
    errand::task_body body;
    body.queue = "default";
    body.handler = "depend_test::step";
    body.args = R"(["end", false])";
    body.biz_id = "end";
    body.life = 1;
    errand::submission_item item;
    item.id = errand::parse_task_id(t.ref("end").id()).value();
    for (int i = 0; i < 250; ++i) {
        item.after.push_back({errand::parse_task_id(t.ref("p" + std::to_string(i)).id()).value(), false});
        body.after.push_back(item.after.back().id);
    }
    item.body = errand::encode(body);
    item.queue = body.queue;
    const auto answer = errand::test::await(io, store->submit(0, {&item, 1}, errand::submit_mode::each));
    CHECK(answer[0].verdict == errand::submit_verdict::registering);
    // Where the clock cannot be moved, the test takes as long as a submitter is waited for.
    errand::test::make_overdue(t.app.settings(), *store, item.id);
    store->close();
    t.start();
    for (int i = 0; i < 250; ++i) t.submit("p" + std::to_string(i));
    auto end = t.run(t.app.find<std::string>(t.ref("end").id())).value();
    CHECK(t.wait(end) == "end!");
    CHECK(t.lines().back() == "end");
}
