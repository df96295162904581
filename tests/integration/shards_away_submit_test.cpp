// Programs that open a store, submit and have schedules while one of its servers is away.
#include "core/quota_record.hpp"
#include "core/settings_record.hpp"
#include "support/away_shard.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using namespace away_test;
using errand::state;
using errand::test::await;
using errand::test::eventually;
using errand::test::run_until;

TEST_CASE("a store opens without a server that is away, says so, and uses it when it comes", "[shards]") {
    store_desk t;
    t.other.kill();
    await(t.io, t.worker.of->open());
    REQUIRE_FALSE(t.worker.troubles.empty());
    CHECK_THAT(t.worker.troubles.back(), Catch::Matchers::ContainsSubstring("shard 1"));
    const auto there = t.id_on(0);
    t.submit(there);
    CHECK(t.work({}, 2).claimed.size() == 1);
    t.other.restart();
    const auto late = t.id_on(away_shard);
    t.submit(late);
    REQUIRE(run_until(t.io, [&] { return t.work({}, 2).claimed.size() == 1; }));
    CHECK(t.other.command({"HGET", t.key("control", away_shard), "shards"}) == "2");
}

TEST_CASE("a store is not opened when none of its servers answers, nor when one refuses", "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 300ms;
    SECTION("none answers") {
        on.other.kill();
        settings.store = on.other.url() + "," + on.other.url();
        errand::test::test_app none{settings};
        CHECK_THROWS_AS(none.run(none.app.find(errand::to_text(on.id_on(0)))), errand::store_error);
    }
    SECTION("one refuses") {
        on.other.command({"HSET", on.key("control", 1), "format", "999999"});
        errand::test::test_app one{settings};
        CHECK_THROWS_AS(one.run(one.app.find(errand::to_text(on.id_on(0)))), errand::store_error);
    }
}

TEST_CASE("of many submissions those fail whose server is away, and the others are stored and say so",
          "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 2s;
    shards_test::bench t{settings};
    const auto shard_of = [](const std::string& id) {
        return errand::shards::shard_of(shards_test::id_of(id), 2);
    };
    t.submit("first");
    on.other.kill();
    std::vector<std::string> names;
    for (int i = 0; i < 40; ++i) names.push_back("task " + std::to_string(i));
    const auto steps = t.app.handler<shards_test::step>();
    std::size_t stored = 0;
    try {
        t.run(steps.perform_bulk(names));
        FAIL("nothing was refused");
    } catch (const errand::bulk_error& e) {
        const auto handles = e.handles<std::string>();
        REQUIRE(handles.size() == names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            CHECK(handles[i].has_value() == (shard_of(t.ref(names[i]).id()) == 0));
            CHECK(!e.errors()[i] == handles[i].has_value());
            if (!handles[i]) {
                CHECK_THROWS_AS(std::rethrow_exception(e.errors()[i]), errand::store_error);
                continue;
            }
            ++stored;
            CHECK(t.info(*handles[i]).state == state::ready);
        }
    }
    CHECK(stored > 0);
    CHECK(stored < names.size());
}

TEST_CASE("a worker starts and goes on while a server is away, and so do those who submit and wait",
          "[shards]") {
    two_servers on;
    auto settings = on.settings;
    settings.store_timeout = 60s;
    on.other.kill();
    shards_test::bench t{settings};
    auto started = std::async(std::launch::async, [&] { t.start(); });
    const bool goes_on = started.wait_for(30s) == std::future_status::ready;
    if (!goes_on) on.other.restart();
    started.get();
    REQUIRE(goes_on);
    // Submitted to the server that is away: they wait for it, in a thread of their own.
    std::vector<std::string> late;
    for (int i = 0; i < 5; ++i) late.push_back(t.on(away_shard, "late " + std::to_string(i)));
    std::jthread waits{[&] {
        for (const auto& name : late) t.submit(name);
    }};
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < 40; ++i) {
        const auto name = t.on(0, "now " + std::to_string(i));
        CHECK(t.wait(t.submit(name)) == name);
    }
    // Held up for a second each they would need 40.
    CHECK(std::chrono::steady_clock::now() - before < 30s);
    const auto child = t.on(0, "child"), parent = t.on(0, "parent");
    const auto after = t.submit_after(child, {parent});
    t.submit(parent);
    CHECK(t.wait(after) == child);
    for (const auto& name : late) CHECK(t.place(name) == -1);
    on.other.restart();
    waits.join();
    eventually([&] {
        return std::ranges::all_of(late, [&](const auto& name) { return t.place(name) >= 0; });
    });
}

namespace {

// With so many shards the one that goes away counts for the quota.
std::size_t shards_to_count_away() {
    std::size_t count = 2;
    const auto counts = errand::place_of_settings(errand::quota_record_name);
    while (errand::shards::shard_of(counts, count) != away_shard) ++count;
    return count;
}

}  // namespace

TEST_CASE("submissions to the servers that are there go on while the one that counts the quota is away",
          "[shards]") {
    const auto count = shards_to_count_away();
    two_servers on{count};
    auto settings = on.settings;
    settings.store_timeout = 60s;
    std::atomic<int> applied{1};
    shards_test::bench t{settings};
    t.app.on_event([&](const errand::event& e) {
        if (e.kind != errand::event_kind::store_trouble) return;
        if (e.text.starts_with("the quota is not applied")) --applied;
        if (e.text == "the quota is applied again") ++applied;
    });
    t.run(t.app.set_quota({.max_queued = 1000}));
    t.submit("first");
    CHECK(applied == 1);
    bool stopped = false;
    SECTION("not answering") {
        on.other.freeze();
        stopped = true;
    }
    SECTION("gone") { on.other.kill(); }
    const auto before = std::chrono::steady_clock::now();
    std::size_t stored = 0;
    for (int i = 0; stored < 5; ++i) {
        const auto name = "task " + std::to_string(i);
        if (errand::shards::shard_of(shards_test::id_of(t.ref(name).id()), count) == away_shard) continue;
        CHECK(t.info(t.submit(name)).state == state::ready);
        ++stored;
    }
    // Not asked for the store's whole patience, nor each anew.
    CHECK(std::chrono::steady_clock::now() - before < 30s);
    CHECK(applied == 0);
    stopped ? on.other.thaw() : on.other.restart();
    eventually([&] {
        t.submit("once more");
        return applied == 1;
    });
}

TEST_CASE("schedules of the servers that are there go on while the one that counts the quota is away",
          "[shards]") {
    const auto count = shards_to_count_away();
    two_servers on{count};
    shards_test::bench t{on.settings};
    t.run(t.app.set_quota({.max_queued = 1000}));
    std::string there;
    for (int i = 0; there.empty(); ++i) {
        auto name = std::to_string(i);
        const auto made = t.run(
            t.app.handler<shards_test::once>().every(1s, {.key = name, .mode = errand::fixed_rate}, name));
        if (errand::shards::shard_of(shards_test::id_of(made.id()), count) == away_shard)
            t.run(made.cancel());
        else
            there = name;
    }
    t.start();
    const auto runs = [&] { return std::ranges::count(t.lines(), there); };
    eventually([&] { return runs() > 0; });
    on.other.kill();
    // The first of them may have been fired before.
    const auto before = runs();
    eventually([&] { return runs() > before + 2; });
    on.other.restart();
}
