// What work on many shards costs in calls, and that no shard is left alone for it.
#include "support/redis_server.hpp"
#include "support/store_fixture.hpp"
#include "support/three_shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <charconv>

using namespace shards_test;
using namespace std::chrono_literals;
using errand::test::await;
using errand::test::eventually;
using errand::test::in_all_shards;

namespace {

// A server that says how many scripts it was asked for: one call of the store is one of them.
struct counted_shards {
    explicit counted_shards(std::size_t shards) : t{settings(shards)} {}

    errand::config settings(std::size_t shards) const {
        auto with = errand::test::fresh_settings();
        with.store = server.url();
        with.shards = shards;
        with.concurrency = 100;
        return with;
    }
    double calls() const {
        const std::string label = "cmdstat_evalsha:calls=";
        const auto text = server.command({"INFO", "commandstats"});
        const auto at = text.find(label);
        long count = 0;
        if (at != std::string::npos)
            std::from_chars(text.data() + at + label.size(), text.data() + text.size(), count);
        return static_cast<double>(count);
    }
    // The worker stands, and waits in all shards.
    void wait_until_idle() {
        t.start();
        eventually([&] {
            for (std::size_t at = 0; at < t.app.settings().shards; ++at) {
                const auto key = errand::test::shard_key(t.app.settings(), "idle:default", at);
                if (server.command({"SCARD", key}) != "1") return false;
            }
            return true;
        });
    }

    errand::test::redis_server server;
    bench t;
};

std::vector<std::string> nameless(std::size_t count) { return std::vector<std::string>(count, "x"); }

// Calls a task, of one worker that has all of them before it.
double calls_of_draining(std::size_t shards) {
    constexpr std::size_t tasks = 10'000;
    counted_shards on{shards};
    on.t.run(on.t.app.handler<shards_test::once>().perform_bulk(nameless(tasks)));
    const auto before = on.calls();
    on.t.start();
    eventually([&] { return on.t.lines().size() == tasks; });
    return (on.calls() - before) / tasks;
}

// Calls a task, of tasks that come one by one to a worker that waits for them.
double calls_of_one_by_one(std::size_t shards) {
    constexpr int tasks = 600;  // of more than two runs of ids
    counted_shards on{shards};
    on.wait_until_idle();
    const auto before = on.calls();
    for (int i = 0; i < tasks; ++i)
        on.t.wait(on.t.run(on.t.app.handler<shards_test::once>().perform_async("x")));
    return (on.calls() - before) / tasks;
}

// Of a worker that waits where it finds nothing, and need not ask there.
errand::work_call waiting_claim(std::size_t limit) {
    errand::work_call call;
    call.claim = {
        .queues = {"default"}, .limit = limit, .lease = 30s, .keeps_queues = true, .trusts_wakes = true};
    return call;
}

}  // namespace

TEST_CASE("a worker that drains 16 shards makes few more calls than one that drains a single one",
          "[shards]") {
    const auto one = calls_of_draining(1);
    // Asked alike, each of them would have a claim and reports each time: sixteen times as many. A worker that is starved has less to say in
    // each call, and another look shows what it does otherwise.
    auto many = calls_of_draining(16);
    for (int again = 0; again < 3 && many >= 10 * one; ++again) many = std::min(many, calls_of_draining(16));
    CAPTURE(one, many);
    CHECK(many < 10 * one);
}

TEST_CASE("tasks that come one by one cost no more calls where the worker waits in 16 shards", "[shards]") {
    const auto one = calls_of_one_by_one(1), many = calls_of_one_by_one(16);
    CAPTURE(one, many);
    CHECK(many < one + 1);
}

TEST_CASE("what a caller submits together is one call, and another one where its ids go on in the next shard",
          "[shards]") {
    counted_shards on{16};
    on.t.run(on.t.app.handler<shards_test::once>().perform_async("x"));
    const auto before = on.calls();
    for (int i = 0; i < 20; ++i) on.t.run(on.t.app.handler<shards_test::once>().perform_bulk(nameless(50)));
    CHECK(on.calls() - before <= 20 + 4);
}

TEST_CASE("a ready task of any shard is claimed while another one has work without end", "[shards]") {
    bench t;
    helper worker{t.app.settings()};
    const auto submit_on = [&](std::size_t shard, std::size_t count) {
        std::vector<errand::submission_item> items;
        while (items.size() < count) {
            auto item = errand::test::item_of("x");
            if (worker.of->shard_of(item.id) == shard) items.push_back(std::move(item));
        }
        const auto id = items.front().id;
        await(worker.io, worker.of->submit(0, items, errand::submit_mode::each));
        return id;
    };
    for (const std::size_t room : {std::size_t{1}, std::size_t{40}}) {
        std::vector<errand::claimed_task> held;
        std::size_t in_first = 0;
        // Reports what it has, takes as many instead, and there is always more in the first shard.
        const auto go_on = [&] {
            for (; in_first < 2 * room; in_first += 200) submit_on(0, 200);
            auto call = waiting_claim(room);
            for (const auto& one : held) {
                call.reports.push_back(errand::test::success_of(one, 0ms));
                if (call.closed.empty() || call.closed.back() != one.claim) call.closed.push_back(one.claim);
            }
            held = await(worker.io, worker.of->work(call)).claimed;
            REQUIRE(held.size() == room);
            for (const auto& one : held) in_first -= worker.of->shard_of(one.id) == 0 ? 1 : 0;
        };
        for (int i = 0; i < 40; ++i) go_on();
        for (const std::size_t shard : {1U, 2U, 1U}) {
            INFO("shard " << shard << ", room for " << room);
            const auto id = submit_on(shard, 1);
            CHECK(errand::test::run_until(worker.io, [&] {
                go_on();
                return std::ranges::find(held, id, &errand::claimed_task::id) != held.end();
            }));
        }
    }
}

TEST_CASE("who puts a task off in a shard where it waits hears when that falls due", "[shards]") {
    bench t;
    helper worker{t.app.settings()};
    auto call = waiting_claim(5);
    const auto ask = [&] { return await(worker.io, worker.of->work(call)); };
    await(worker.io,
          worker.of->submit(0, std::vector{errand::test::item_of("x")}, errand::submit_mode::each));
    const auto task = ask().claimed.at(0);
    CHECK_FALSE(ask().next_due);
    call.reports = {errand::test::report_of(task, errand::report::kind::retry, 1h)};
    call.closed = {task.claim};
    const auto got = ask();
    REQUIRE(got.verdicts.at(0) == errand::report_verdict::accepted);
    REQUIRE(got.next_due);
    CHECK(*got.next_due - got.now > 59min);
    CHECK(got.skipped);
}

TEST_CASE("who claims in several shards hears of what is due there already", "[shards]") {
    bench t;
    helper worker{t.app.settings()};
    auto call = waiting_claim(5);
    auto item = errand::test::item_of("x");
    item.delay = 1ms;
    await(worker.io, worker.of->submit(0, std::vector{item}, errand::submit_mode::each));
    eventually([&] {
        const auto seen = await(worker.io, worker.of->find(item.id));
        return seen && seen->now > *seen->due_at;
    });
    const auto got = await(worker.io, worker.of->work(call));
    CHECK(got.claimed.empty());
    REQUIRE(got.next_due);
    CHECK(*got.next_due <= got.now);
}

TEST_CASE("a worker that waits in a shard and is not told of a task there finds it by itself", "[shards]") {
    counted_shards on{3};
    on.wait_until_idle();
    const auto name = on.t.on(2, "unheard");
    const auto key = errand::test::shard_key(on.t.app.settings(), "idle:default", 2);
    CHECK(on.server.command({"DEL", key}) == "1");
    const auto task = on.t.submit(name);
    // Others come all the time, so that it never stands still.
    eventually([&] {
        on.t.wait(on.t.submit(on.t.on(0, std::to_string(on.t.lines().size()))));
        return on.t.info(task).state == errand::state::success;
    });
    CHECK(on.t.place(name) >= 0);
}
