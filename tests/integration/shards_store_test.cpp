// Transactions, workers and servers of a namespace of several shards.
#include "app/open_store.hpp"
#include "runtime/submissions.hpp"
#include "support/three_shards.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

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

namespace {

// Three shards on a server of their own, and a store that waits for it for as long as it takes.
struct own_server {
    own_server() {
        errand::store_settings with;
        with.name = "own";
        with.url = server.url();
        with.name_space = errand::test::fresh_settings().name_space;
        with.shards = static_cast<unsigned>(shards_test::shards);
        with.patience = std::nullopt;
        of = errand::open_store(io, std::move(with));
        await(io, of->open());
    }
    ~own_server() {
        of->close();
        io.restart();
        io.run();
    }
    own_server(const own_server&) = delete;
    own_server& operator=(const own_server&) = delete;

    // A task for each shard, whose records have so many bytes together, or more.
    std::vector<errand::submission_item> batch(std::size_t bytes = 0) const {
        std::vector<errand::submission_item> items;
        std::size_t held = 0;
        for (std::size_t shard = 0; shard < of->shards();) {
            auto item = errand::test::item_with(errand::new_task_id(1'763'000'000'000), "x");
            if (of->shard_of(item.id) != shard) continue;
            held += item.body.size();
            items.push_back(std::move(item));
            ++shard;
        }
        if (bytes > held) items.back().body.append(bytes - held, 'x');
        return items;
    }
    bool keeps_any(const std::vector<errand::task_id>& ids) {
        return std::ranges::any_of(ids, [&](const errand::task_id& id) {
            return await(io, of->find(id)).has_value();
        });
    }

    errand::test::redis_server server;
    boost::asio::io_context io{1};
    std::unique_ptr<errand::store> of;
};

std::vector<errand::task_id> ids_of(const std::vector<errand::submission_item>& items) {
    std::vector<errand::task_id> ids;
    for (const auto& one : items) ids.push_back(one.id);
    return ids;
}

bool all_accepted(const errand::submitter::group_answer& got) {
    return got.failures.empty() && got.answers.size() == shards_test::shards &&
           std::ranges::all_of(got.answers, [](const errand::submit_answer& one) {
               return one.verdict == errand::submit_verdict::accepted;
           });
}

}  // namespace

TEST_CASE(
    "while batches over three shards wait with as much as may wait, the next one is refused whole, and one that "
    "came just before is stored",
    "[shards]") {
    constexpr std::size_t may_wait = std::size_t{256} * 1024 * 1024;
    struct sent {
        std::vector<errand::task_id> ids;
        bool ended = false;
        std::exception_ptr why;
        errand::submitter::group_answer got;
    };
    own_server t;
    errand::submissions lines{t.io.get_executor(), *t.of, std::nullopt};
    boost::asio::cancellation_signal stop;
    sent under_way, large, just_below, over;
    const auto send = [&](sent& one, std::vector<errand::submission_item> items) {
        one.ids = ids_of(items);
        boost::asio::co_spawn(t.io, lines.submit_group(std::move(items), errand::submit_mode::all_or_nothing),
                              boost::asio::bind_cancellation_slot(
                                  &one == &large ? stop.slot() : boost::asio::cancellation_slot{},
                                  [&one](const std::exception_ptr& why, errand::submitter::group_answer got) {
                                      one.ended = true;
                                      one.why = why;
                                      one.got = std::move(got);
                                  }));
    };
    t.server.freeze();
    send(under_way, t.batch());
    send(large, t.batch(may_wait - 1));
    send(just_below, t.batch());
    send(over, t.batch());
    REQUIRE(errand::test::run_until(t.io, [&] { return over.ended; }));
    REQUIRE(over.why);
    CHECK_THROWS_MATCHES(std::rethrow_exception(over.why), errand::store_error,
                         MessageMatches(ContainsSubstring("wait for the store already") &&
                                        ContainsSubstring("it was not done")));
    CHECK_FALSE(under_way.ended);
    CHECK_FALSE(large.ended);
    CHECK_FALSE(just_below.ended);

    stop.emit(boost::asio::cancellation_type::terminal);
    REQUIRE(errand::test::run_until(t.io, [&] { return large.ended; }));
    t.server.thaw();
    REQUIRE(errand::test::run_until(t.io, [&] { return under_way.ended && just_below.ended; }));
    CHECK(all_accepted(under_way.got));
    CHECK(all_accepted(just_below.got));
    CHECK_FALSE(t.keeps_any(over.ids));
    CHECK_FALSE(t.keeps_any(large.ids));
    // What has left makes room.
    CHECK(all_accepted(await(t.io, lines.submit_group(t.batch(), errand::submit_mode::all_or_nothing))));
}

TEST_CASE(
    "a transaction that is too heavy for one commit is refused whole by all its shards, one just below is accepted",
    "[shards]") {
    bench t;
    const auto steps = t.app.handler<step>();
    errand::options after;
    for (int i = 0; i < 1'999; ++i) after.after.push_back(t.ref("parent" + std::to_string(i)));
    // A dependency counts as ten tasks.
    const auto child = [&](const std::string& stem) { return t.on(0, stem + " child"); };
    const auto beside = [&](const std::string& stem, int count) {
        std::vector<std::string> names;
        for (int i = 0; i < count; ++i)
            names.push_back(t.on(static_cast<std::size_t>(i) % shards_test::shards,
                                 stem + std::to_string(i)));
        return names;
    };
    const auto commit = [&](const std::string& stem, int count) {
        errand::transaction_guard guard{t.app};
        t.run(steps.with(after).in(guard).perform_async(child(stem)));
        t.run(steps.in(guard).perform_bulk(beside(stem, count)));
        t.run(guard.commit());
    };
    const auto is_there = [&](const std::string& name) {
        return t.run(t.app.find(t.ref(name).id())).has_value();
    };
    CHECK_THROWS_MATCHES(commit("heavy", 10), errand::usage_error,
                         MessageMatches(ContainsSubstring("11 tasks and 1999 dependencies") &&
                                        ContainsSubstring("at most 20000 tasks")));
    CHECK_FALSE(is_there(child("heavy")));
    CHECK(std::ranges::none_of(beside("heavy", 10), is_there));
    commit("light", 9);
    CHECK(is_there(child("light")));
    CHECK(std::ranges::all_of(beside("light", 9), is_there));
}

TEST_CASE("a refusal in one shard refuses the whole transaction", "[shards]") {
    bench t;
    const auto a = t.on(0, "a"), c = t.on(2, "c");
    const auto steps = t.app.handler<step>();
    const auto unique = t.app.handler<picky>();
    t.run(unique.perform_async("7"));
    CHECK_THROWS_AS(t.run(errand::transaction(t.app,
                                              [&]() -> errand::awaitable<void> {
                                                  co_await steps.perform_async(a);
                                                  for (const auto* name : {"5", "6", "7", "8"})
                                                      co_await unique.perform_async(name);
                                              })),
                    errand::duplicate_task);
    CHECK_FALSE(t.run(t.app.find(t.ref(a).id())));
    for (const auto* name : {"5", "6", "8"}) CHECK_FALSE(t.run(t.app.find(unique.ref(name).id())));
    // Of one that is submitted with others, some of which it waits for, a cycle with what was there before.
    t.submit_after(c, {a});
    CHECK_THROWS_AS(t.run(errand::transaction(t.app,
                                              [&]() -> errand::awaitable<void> {
                                                  const auto root = co_await steps.perform_async("root");
                                                  const errand::options how{.after = {root, t.ref(c)}};
                                                  co_await steps.with(how).perform_async(a);
                                              })),
                    errand::dependency_cycle);
    for (const auto& name : {a, std::string{"root"}}) CHECK_FALSE(t.run(t.app.find(t.ref(name).id())));
}

TEST_CASE("a plan over shards runs in its order although nothing is kept of its tasks", "[shards]") {
    bench t;
    t.start();
    const auto steps = t.app.handler<shards_test::once>().with({.retention = 0ms});
    for (int round = 0; round < 20; ++round) {
        std::optional<step_handle> last;
        t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> {
            last = co_await steps.perform_async(std::to_string(12 * round));
            for (int i = 1; i < 12; ++i) {
                const auto next =
                    t.app.handler<shards_test::once>().with({.retention = 0ms, .after = {*last}});
                last = co_await next.perform_async(std::to_string(12 * round + i));
            }
        }));
        CHECK(t.wait(*last) == std::to_string(12 * round + 11));
    }
    std::vector<std::string> wanted;
    for (int i = 0; i < 240; ++i) wanted.push_back(std::to_string(i));
    CHECK(t.lines() == wanted);
}

TEST_CASE("a worker with no room left is woken by no shard", "[shards]") {
    bench t;
    helper worker{t.app.settings()};
    errand::work_call claim;
    claim.claim = {{"default"}, 1, 30s};
    CHECK(await(worker.io, worker.of->work(claim)).claimed.empty());
    const auto idle = [&](const std::string& count) {
        return in_all_shards(t.app.settings(), "SCARD", "idle:default", count);
    };
    CHECK(idle("1"));
    t.submit(t.on(1, "one"));
    t.submit(t.on(2, "other"));
    CHECK(await(worker.io, worker.of->work(claim)).claimed.size() == 1);
    CHECK(idle("0"));
    CHECK(await(worker.io, worker.of->work(claim)).claimed.size() == 1);
}

TEST_CASE("shards may be on several servers", "[shards]") {
    errand::test::redis_server other;
    auto settings = errand::test::fresh_settings();
    settings.store += ", " + other.url();
    settings.shards = 0;
    const auto name_space = settings.name_space;
    bench t{settings};
    t.start();
    const auto on = [&](std::size_t shard, const std::string& stem) {
        for (int i = 0;; ++i) {
            auto name = stem + std::to_string(i);
            if (errand::shards::shard_of(id_of(t.ref(name).id()), 2) == shard) return name;
        }
    };
    const auto child = t.submit_after(on(1, "c"), {on(0, "p")});
    const auto back = t.submit_after(on(0, "b"), {on(1, "c")});
    t.submit(on(0, "p"));
    CHECK(t.wait(back) == on(0, "b"));
    CHECK(t.lines() == std::vector{on(0, "p"), on(1, "c"), on(0, "b")});
    CHECK(other.command({"HLEN", "errand:{" + name_space + ".1}:tasks"}) == "2");
    auto alone = errand::test::fresh_settings();
    alone.name_space = name_space;
    alone.shards = 1;
    errand::test::test_app mistaken{alone};
    CHECK_THROWS_MATCHES(mistaken.run(mistaken.app.find(child.id())), errand::store_error,
                         MessageMatches(ContainsSubstring("2 shard(s), and 1 were asked for")));
    alone.store += "," + other.url();
    CHECK_THROWS_MATCHES(errand::app{alone}, errand::usage_error,
                         MessageMatches(ContainsSubstring("ERRAND_SHARDS")));
}

TEST_CASE("a server that is away costs no task of another its lease", "[shards]") {
    errand::test::redis_server other{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store += "," + other.url();
    settings.shards = 0;
    settings.lease = 3s;
    bench t{settings};
    helper worker{settings};
    const auto id_on = [&](std::size_t shard) {
        for (;;) {
            const auto id = errand::new_task_id(1'763'000'000'000);
            if (errand::shards::shard_of(id, 2) == shard) return id;
        }
    };
    const auto item = errand::test::item_with(id_on(0), "a");
    await(worker.io, worker.of->submit(0, {&item, 1}, errand::submit_mode::each));
    errand::work_call claim;
    claim.claim = {{"default"}, 10, 3s};
    const auto held = await(worker.io, worker.of->work(claim)).claimed;
    REQUIRE(held.size() == 1);
    const auto second = errand::test::item_with(id_on(0), "b");
    await(worker.io, worker.of->submit(0, {&second, 1}, errand::submit_mode::each));

    // Takes over what has lost its lease on the server that is there.
    errand::store_settings there;
    there.url = errand::test::shared_redis().url();
    there.name_space = settings.name_space;
    there.shards = 2;
    const auto other_worker = errand::make_redis_store(worker.io, there);
    await(worker.io, other_worker->open());

    other.kill();
    // Both what is held and what a call has claimed that concerns the other server as well.
    const auto claimed = await(worker.io, worker.of->work(claim)).claimed;
    REQUIRE(claimed.size() == 1);
    const auto end = std::chrono::steady_clock::now() + 4s;
    while (std::chrono::steady_clock::now() < end) {
        errand::extend_call call;
        call.lease = 3s;
        call.claims = {held[0].claim, claimed[0].claim};
        call.tasks = {{held[0].id, held[0].claim}, {claimed[0].id, claimed[0].claim}};
        // One of the server that is away, so that it is asked.
        call.tasks.emplace_back(id_on(1), errand::shards::outer_claim(1, 1, 2));
        const auto lost = await(worker.io, worker.of->extend(call));
        CHECK(lost.lost_claims.empty());
        CHECK(lost.lost_tasks.empty());
        CHECK(await(worker.io, other_worker->recover(10, 30s)).tasks.empty());
    }
    other_worker->close();
    other.restart();
    errand::work_call finish;
    for (const auto& task : {held[0], claimed[0]}) {
        finish.reports.push_back(errand::test::success_of(task));
        finish.closed.push_back(task.claim);
    }
    const std::vector accepted(2, errand::report_verdict::accepted);
    CHECK(await(worker.io, worker.of->work(finish)).verdicts == accepted);
}
