// Dependencies between tasks of different shards: what depends on what does not care where it is kept.
#include "support/three_shards.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace shards_test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::await;
using errand::test::eventually;
using errand::test::in_all_shards;

TEST_CASE("parents and children of all shards find each other in every order", "[shards]") {
    bench t;
    std::vector<std::pair<std::string, std::string>> pairs;
    std::vector<step_handle> children;
    const auto name = [&](const std::string& stem, std::size_t a, std::size_t b, std::size_t at) {
        return t.on(at, stem + std::to_string(a) + std::to_string(b));
    };
    const auto each = [&](const std::string& stem, const auto& submit) {
        for (std::size_t a = 0; a < shards_test::shards; ++a) {
            for (std::size_t b = 0; b < shards_test::shards; ++b) {
                pairs.emplace_back(name(stem + 'p', a, b, a), name(stem + 'c', a, b, b));
                submit(pairs.back().first, pairs.back().second);
            }
        }
    };
    each("first", [&](const auto& parent, const auto& child) {
        t.submit(parent);
        children.push_back(t.submit_after(child, {parent}));
    });
    each("last", [&](const auto& parent, const auto& child) {
        children.push_back(t.submit_after(child, {parent}));
        t.submit(parent);
    });
    t.start();
    each("ended", [&](const auto& parent, const auto& child) {
        t.wait(t.submit(parent));
        children.push_back(t.submit_after(child, {parent}));
    });
    for (const auto& one : children) t.wait(one);
    for (const auto& [parent, child] : pairs) {
        CHECK(t.place(parent) >= 0);
        CHECK(t.place(child) > t.place(parent));
    }
}

TEST_CASE("a task waits for many of all shards, and many of all shards for one", "[shards]") {
    bench t;
    std::vector<errand::dependency> leaves;
    for (int i = 0; i < 250; ++i) leaves.emplace_back(t.submit_after("leaf" + std::to_string(i), {"root"}));
    auto last = t.submit("last", {.after = leaves});
    CHECK(t.info(last).waits_for_count == 250);
    t.start();
    t.submit("root");
    t.wait(last);
    CHECK(t.lines().size() == 252);
    CHECK(t.lines().front() == "root");
    CHECK(t.lines().back() == "last");
}

TEST_CASE("a cycle over two or three shards is refused and named, and leaves nothing", "[shards]") {
    bench t;
    const auto a = t.on(0, "a"), b = t.on(1, "b"), c = t.on(2, "c");
    t.submit_after(a, {b});
    CHECK_THROWS_MATCHES(t.submit_after(b, {a}), errand::dependency_cycle,
                         MessageMatches(ContainsSubstring(a) && ContainsSubstring(b)));
    CHECK_FALSE(t.run(t.app.find(t.ref(b).id())));
    t.submit_after(b, {c});
    CHECK_THROWS_MATCHES(t.submit_after(c, {a}), errand::dependency_cycle,
                         MessageMatches(ContainsSubstring(a) && ContainsSubstring(b) &&
                                        ContainsSubstring(c)));
    // Of this one all parents are where it is, and the way round leads through another shard.
    const auto last = t.on(0, "last");
    t.submit_after(c, {last});
    CHECK_THROWS_AS(t.submit_after(last, {a}), errand::dependency_cycle);
    t.start();
    const auto h = t.submit(last);
    CHECK_FALSE(h.duplicate());
    eventually([&] { return t.lines() == std::vector{last, c, b, a}; });
}

TEST_CASE("a failure takes along what depends on it in other shards, and a revival brings it back",
          "[shards]") {
    bench t;
    broken = true;
    t.start();
    const auto a = t.on(0, "fragile"), b = t.on(1, "b"), c = t.on(2, "c");
    const auto second = t.submit_after(b, {a});
    const auto third = t.submit_after(c, {b});
    const auto first = t.submit(a);
    t.ends_as(third, state::cancelled);
    CHECK_THAT(t.info(second).errors.back().message, ContainsSubstring("dead"));
    broken = false;
    CHECK(t.run(first.revive()));
    t.ends_as(third, state::success);
    CHECK(t.lines() == std::vector{a, b, c});
}

TEST_CASE("who dies between storing and registering a task is stood in for by a resolver", "[shards]") {
    bench t;
    const auto parent = t.on(0, "parent"), child = t.on(1, "child");
    const auto id = t.ref(child).id();
    {
        helper dying{t.app.settings()};
        const auto item = stored(child, id_of(id), id_of(t.ref(parent).id()));
        const auto answer = await(dying.io, dying.of->submit(0, {&item, 1}, errand::submit_mode::each));
        CHECK(answer[0].verdict == errand::submit_verdict::registering);
    }
    errand::test::shared_redis().command({"ZADD", t.key("outbox", id), "1",
                                          std::string{id_of(id).view()} + 'w'});
    t.start();
    t.submit(parent);
    auto h = t.run(t.app.find<std::string>(id)).value();
    CHECK(t.wait(h) == child);
    CHECK(t.lines() == std::vector{parent, child});
}

TEST_CASE("what waits for one that never came ends, when its submitter died before it came", "[shards]") {
    bench t;
    auto gone = errand::new_task_id(1'763'000'000'000);
    gone.bytes[14] = 0;
    gone.bytes[15] = 0;
    const auto orphan = t.on(1, "orphan");
    const auto id = t.ref(orphan).id();
    {
        helper dying{t.app.settings()};
        const auto item = stored(orphan, id_of(id), gone);
        await(dying.io, dying.of->submit(0, {&item, 1}, errand::submit_mode::each));
    }
    const auto after = t.submit_after(t.on(2, "after"), {orphan});
    errand::test::shared_redis().command({"ZADD", t.key("outbox", id), "1",
                                          std::string{id_of(id).view()} + 'w'});
    t.start();
    t.ends_as(after, state::cancelled);
    CHECK(t.run(t.app.find(id))->state == state::cancelled);
}

TEST_CASE("what a resolver told and did not strike off is told again, and changes nothing", "[shards]") {
    bench t;
    const auto parent = t.on(0, "parent"), child = t.on(1, "child");
    const auto h = t.submit_after(child, {parent});
    helper dying{t.app.settings()};
    t.submit(parent);
    errand::work_call claim;
    claim.claim = {{"default"}, 1, 30s};
    const auto got = await(dying.io, dying.of->work(claim));
    REQUIRE(got.claimed.size() == 1);
    errand::work_call finish;
    finish.reports = {errand::test::success_of(got.claimed[0])};
    finish.closed = {got.claimed[0].claim};
    await(dying.io, dying.of->work(finish));
    const auto news = await(dying.io, dying.of->take_news(100, 50ms));
    REQUIRE(news.entries.size() == 1);
    REQUIRE(news.entries[0].heirs == std::vector{id_of(h.id())});
    const errand::resolution told{.parent = news.entries[0].about,
                                  .what = news.entries[0].what,
                                  .cancelled = {},
                                  .children = news.entries[0].heirs};
    await(dying.io, dying.of->resolve({&told, 1}, {}));
    CHECK(t.info(h).state == state::ready);
    t.start();
    CHECK(t.wait(h) == child);
    eventually([&] { return !t.any_news(); });
    CHECK(t.lines() == std::vector{child});
}

TEST_CASE("news of a revival that come after those of another death do not win", "[shards]") {
    bench t;
    broken = true;
    const auto parent = t.on(0, "fragile"), child = t.on(1, "child");
    t.start();
    const auto first = t.submit(parent);
    const auto second = t.submit_after(child, {parent});
    t.ends_as(second, state::cancelled);
    t.stop();
    CHECK(t.run(first.revive()));
    helper slow{t.app.settings()};
    const auto news = await(slow.io, slow.of->take_news(100, 1h));
    // Beside it the child's shard asks how the parent stands: revive has told the child already.
    const auto told = std::ranges::find(news.entries, errand::tidings::revived, &errand::news::what);
    REQUIRE(told != news.entries.end());
    t.start();
    t.ends_as(first, state::dead);
    const auto death = std::string{id_of(first.id()).view()} + 'd';
    eventually([&] {
        return errand::test::shared_redis().command({"ZSCORE", t.key("outbox", first.id()), death}) ==
               "(nil)";
    });
    t.stop();
    const errand::resolution late{
        .parent = told->about, .what = told->what, .cancelled = {}, .children = told->heirs};
    await(slow.io, slow.of->resolve({&late, 1}, {}));
    CHECK(t.info(second).state == state::waiting);
    t.start();
    eventually([&] { return t.info(second).state == state::cancelled; });
    CHECK(t.info(second).waits_for_count == 0);
    broken = false;
    CHECK(t.run(first.revive()));
    t.ends_as(second, state::success);
}

TEST_CASE("a chain begins again while nobody tells how its first task ended", "[shards]") {
    bench t;
    const auto parent = t.on(0, "parent"), child = t.on(1, "child"), next = t.on(2, "next");
    t.submit(parent);
    t.submit_after(child, {parent});
    helper slow{t.app.settings()};
    slow.kill_next();
    auto steps = t.app.handler<step>();
    auto again = t.run(errand::chain(steps.plan(parent), steps.plan(next)).submit());
    CHECK(t.info(again).state == state::waiting);
    t.start();
    CHECK(t.wait(again) == next);
    CHECK(t.lines().front() == parent);
}

TEST_CASE("edges between shards go with the tasks at either end", "[shards]") {
    bench t;
    broken = true;
    t.start();
    const errand::options briefly{.retention = 2s};
    const auto a = t.on(0, "fragile"), b = t.on(1, "b"), c = t.on(2, "c"), d = t.on(0, "d"), e = t.on(1, "e");
    const auto first = t.submit(a, briefly);
    t.ends_as(t.submit_after(b, {a}, {.retention = 2s}), state::cancelled);
    t.wait(t.submit_after(c, {a}, {.retention = 2s, .on_failed_dependency = errand::run}));
    t.wait(t.submit(d, briefly));
    // Waits for one that never comes, and is cancelled by name.
    const auto idle = t.submit_after(e, {t.on(2, "never"), d}, briefly);
    CHECK(t.run(idle.cancel()));
    // Waits for a later task of that id: this stays until it comes.
    const auto patient = t.submit_after(t.on(2, "patient"), {a}, {.on_failed_dependency = errand::wait});
    helper janitor{t.app.settings()};
    eventually([&] {
        await(janitor.io, janitor.of->clean(100));
        return !t.run(t.app.find(first.id())) && !t.run(t.app.find(idle.id()));
    });
    broken = false;
    t.submit(a, briefly);
    CHECK(t.wait(patient) == t.on(2, "patient"));
    eventually([&] {
        await(janitor.io, janitor.of->clean(100));
        return in_all_shards(t.app.settings(), "ZCARD", "links", "1");
    });
    CHECK(in_all_shards(t.app.settings(), "HLEN", "watched", "1"));
}
