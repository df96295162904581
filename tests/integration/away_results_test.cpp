// Results of tasks of several servers, one of which is away.
#include "support/away_shard.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <future>

using namespace std::chrono_literals;
using namespace away_test;
using errand::state;

TEST_CASE("who only looks for results is told of those that the servers that are there know", "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 1s;
    shards_test::bench t{settings};
    t.start();
    const auto late = t.submit(t.on(away_shard, "late")), good = t.submit(t.on(0, "good"));
    t.wait(late);
    t.wait(good);
    shards_test::broken = true;
    const auto bad = t.submit(t.on(0, "fragile"));
    t.ends_as(bad, state::dead);
    on.other.kill();
    const errand::await_options looks{.within = 0s};
    CHECK(t.run(errand::any(looks, late, good)).first == 1);
    CHECK(t.run(errand::any(looks, good, late)).first == 0);
    CHECK_THROWS_AS(t.run(errand::all(looks, late, bad)), errand::task_failed);
    // What they cannot know is not guessed.
    CHECK_THROWS_AS(t.run(errand::all(looks, late, good)), errand::store_error);
    CHECK_THROWS_AS(t.run(errand::any(looks, late, bad)), errand::store_error);
}

TEST_CASE("who looks for results of several servers does not wait for one that is away", "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 60s;
    shards_test::bench t{settings};
    const auto late = t.submit(t.on(away_shard, "late")), good = t.submit(t.on(0, "good"));
    on.other.kill();
    const auto before = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(t.run(errand::any({.within = 0s}, late, good)), errand::store_error);
    CHECK_THROWS_AS(t.run(errand::all({.within = 0s}, late, good)), errand::store_error);
    CHECK(std::chrono::steady_clock::now() - before < 30s);
}

TEST_CASE("the first of several results is waited for while the server of another is away", "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 2s;
    shards_test::bench t{settings};
    const auto late = t.submit(t.on(away_shard, "late")), good = t.submit(t.on(0, "good"));
    const auto far =
        t.run(t.app.handler<shards_test::step>().with({.delay = 24h}).perform_async(t.on(0, "far")));
    on.other.kill();
    SECTION("and comes") {
        auto first = std::async(std::launch::async, [&] { return t.run(errand::any(late, good)).first; });
        // It has heard by then that the other is away.
        CHECK(first.wait_for(5s) == std::future_status::timeout);
        t.start();
        CHECK(first.get() == 1);
    }
    SECTION("and is the other one, when it is back") {
        auto first = std::async(std::launch::async, [&] { return t.run(errand::any(late, far)).first; });
        CHECK(first.wait_for(5s) == std::future_status::timeout);
        on.other.restart();
        t.start();
        CHECK(first.get() == 0);
    }
    SECTION("and fails: the other may have succeeded") {
        auto first = std::async(std::launch::async, [&] { return t.run(errand::any(late, good)).first; });
        CHECK(first.wait_for(5s) == std::future_status::timeout);
        CHECK(t.run(good.cancel()));
        CHECK_THROWS_AS(first.get(), errand::store_error);
    }
}
