// Looking at tasks and repairing them, on a real Redis, as an operator's program does it.
#include <errand/errand.hpp>

#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <set>
#include <thread>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::list_order;
using errand::repair;
using errand::state;
using errand::test::eventually;
using errand::test::test_app;

namespace inspect_test {

std::atomic<bool> broken{false};
std::atomic<bool> blocked{false};

struct chore {
    errand::awaitable<int> perform(int number) {
        if (broken) throw std::runtime_error{"no route to host " + std::to_string(number)};
        auto& self = co_await errand::this_task();
        while (blocked && !self.cancelled()) {
            boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 2ms};
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        co_return number;
    }
};

}  // namespace inspect_test

using inspect_test::blocked;
using inspect_test::broken;
using inspect_test::chore;

ERRAND_HANDLER(inspect_test::chore, .name = "chore", .queue = "chores", .max_retry = 0)

namespace {

struct desk : test_app {
    explicit desk(errand::config settings = errand::test::fresh_settings()) : test_app{std::move(settings)} {
        broken = blocked = false;
    }
    ~desk() { broken = blocked = false; }

    errand::handle<int> submit(int number, errand::options extra = {}) {
        return run(app.handler<chore>().with(std::move(extra)).perform_async(number));
    }
    errand::queue_info queue(const std::string& name = "chores") {
        for (auto& one : run(app.inspect().queues())) {
            if (one.name == name) return one;
        }
        FAIL("no queue " + name);
        return {};
    }
    std::size_t count(state in) { return queue().count(in); }
    std::vector<int> numbers(const std::vector<errand::task_info>& tasks) {
        std::vector<int> all;
        for (const auto& one : tasks) all.push_back(static_cast<int>(one.args.at(0).as_int64()));
        return all;
    }
    // Of all pages of this size.
    std::vector<int> listed(const errand::task_filter& which, std::size_t page, list_order order) {
        std::vector<int> all;
        std::string next;
        do {
            const auto got = run(app.inspect().list(which, next, page, order));
            CHECK(got.tasks.size() <= page);
            for (const int one : numbers(got.tasks)) all.push_back(one);
            next = got.next;
        } while (!next.empty());
        return all;
    }
    void all_end(state as, std::size_t n) {
        eventually([&] { return count(as) == n; });
    }
};

// Tasks of one millisecond stand in no certain order.
void next_ms() {
    const auto now = [] { return std::chrono::floor<errand::duration>(std::chrono::system_clock::now()); };
    for (const auto from = now(); now() == from;) std::this_thread::yield();
}

// Over several shards each has an order of ready tasks, and a share of what is kept, of its own.
errand::config one_shard() {
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    return settings;
}

std::vector<int> up_to(int n) {
    std::vector<int> all;
    for (int i = 0; i < n; ++i) all.push_back(i);
    return all;
}

}  // namespace

TEST_CASE("a queue shows how many tasks are in each state", "[inspect]") {
    desk t;
    t.submit(1);
    t.submit(2, {.priority = 5});
    t.submit(3, {.delay = 1h});
    t.submit(4, {.after = {t.app.handler<chore>().ref("later")}});
    auto q = t.queue();
    CHECK(q.count(state::ready) == 2);
    CHECK(q.count(state::delayed) == 1);
    CHECK(q.count(state::waiting) == 1);
    CHECK(q.count(state::working) == 0);
    CHECK(q.oldest);
    CHECK_FALSE(q.paused);

    t.start();
    t.all_end(state::success, 2);
    q = t.queue();
    CHECK(q.count(state::ready) == 0);
    CHECK_FALSE(q.oldest);

    broken = true;
    t.submit(5);
    t.submit(6, {.max_retry = 3});
    t.all_end(state::dead, 1);
    t.all_end(state::retry, 1);
    const auto gone = t.submit(7, {.delay = 1h});
    t.run(gone.cancel());
    t.submit(8, {.delay = 1ms, .expires_after = 1ms, .after = {t.app.handler<chore>().ref("never")}});
    t.all_end(state::cancelled, 1);
    t.all_end(state::expired, 1);
    q = t.queue();
    CHECK(q.count(state::delayed) == 1);
    CHECK(q.count(state::success) == 2);
    CHECK(q.failed_per_second >= 0);
    const auto today = t.run(t.app.inspect().history(1));
    REQUIRE(today.size() == 1);
    CHECK(today[0].queue == "chores");
    CHECK(today[0].success == 2);
    CHECK(today[0].dead == 1);
    CHECK(today[0].failed == 1);
    CHECK(today[0].cancelled == 1);
    CHECK(today[0].expired == 1);
}

TEST_CASE("what a worker runs is counted and shown with it", "[inspect]") {
    desk t;
    blocked = true;
    t.start();
    for (int i = 0; i < 3; ++i) t.submit(i);
    t.all_end(state::working, 3);
    const auto workers = t.run(t.app.inspect().workers());
    REQUIRE(workers.size() == 1);
    CHECK(workers[0].running.size() == 3);
    CHECK(workers[0].running[0].handler == "chore");
    CHECK(workers[0].running[0].started_at);
    CHECK(workers[0].concurrency == 100);
    CHECK(std::ranges::count(workers[0].handlers, "chore") == 1);
    CHECK(workers[0].pid > 0);
    auto page = t.run(t.app.inspect().list({.state = state::working}, "", 2));
    std::set<int> seen;
    for (const int one : t.numbers(page.tasks)) seen.insert(one);
    while (!page.next.empty()) {
        page = t.run(t.app.inspect().list({.state = state::working}, page.next, 2));
        for (const int one : t.numbers(page.tasks)) seen.insert(one);
    }
    CHECK(seen == std::set<int>{0, 1, 2});
    blocked = false;
    t.all_end(state::success, 3);
    CHECK(t.count(state::working) == 0);
}

TEST_CASE("tasks of every state are listed by page, from either end", "[inspect]") {
    desk t{one_shard()};
    const auto page = GENERATE(1U, 3U, 50U);
    const auto both = [&](state in, std::vector<int> oldest_first) {
        INFO(to_string(in));
        const errand::task_filter which{.state = in};
        CHECK(t.listed(which, page, list_order::oldest_first) == oldest_first);
        std::ranges::reverse(oldest_first);
        CHECK(t.listed(which, page, list_order::newest_first) == oldest_first);
    };
    std::vector<errand::handle<int>> all;
    for (const int i : up_to(7)) all.push_back(t.submit(i));
    both(state::ready, up_to(7));
    // What is urgent is claimed first.
    t.submit(7, {.priority = 1});
    t.submit(8, {.priority = 9});
    both(state::ready, {8, 7, 0, 1, 2, 3, 4, 5, 6});
    for (const int i : up_to(5)) t.submit(10 + i, {.delay = 2h - i * 1min});
    both(state::delayed, {14, 13, 12, 11, 10});
    for (const int i : {20, 21, 22}) {
        t.submit(i, {.after = {t.app.handler<chore>().ref("never")}});
        next_ms();
    }
    both(state::waiting, {20, 21, 22});
    for (const int i : {2, 4, 1}) {
        t.run(all[static_cast<std::size_t>(i)].cancel());
        next_ms();
    }
    both(state::cancelled, {2, 4, 1});
    // Void entries of the ready list are not shown.
    both(state::ready, {8, 7, 0, 3, 5, 6});
    CHECK(t.count(state::ready) == 6);
    t.start();
    t.all_end(state::success, 6);
    CHECK(t.listed({.state = state::success}, page, list_order::newest_first).size() == 6);
    broken = true;
    for (const int i : {30, 31, 32, 33}) {
        const auto h = t.submit(i);
        eventually([&] { return t.info(h).state == state::dead; });
        next_ms();
    }
    both(state::dead, {30, 31, 32, 33});
}

TEST_CASE("successes of several queues and retentions are listed in one order", "[inspect]") {
    desk t;
    t.start();
    for (const int i : up_to(12)) {
        const auto h = t.submit(i, {.queue = i % 2 ? "chores" : "default", .retention = i % 3 ? 1h : 2h});
        t.wait(h);
        next_ms();
    }
    auto got = t.listed({.state = state::success}, 5, list_order::oldest_first);
    CHECK(got.size() == 12);
    CHECK(std::ranges::is_sorted(got));
    got = t.listed({.state = state::success, .queue = "chores"}, 4, list_order::newest_first);
    CHECK(got == std::vector{11, 9, 7, 5, 3, 1});
}

TEST_CASE("a list is filtered by queue, handler, biz_id, tag and error", "[inspect]") {
    desk t;
    t.submit(1, {.biz_id = "one", .delay = 1h, .tags = {"red", "round"}});
    t.submit(2, {.biz_id = "two", .delay = 1h, .tags = {"red"}});
    t.submit(3, {.queue = "other", .delay = 1h});
    t.run(t.app.perform("stranger", {4}, {.queue = "chores", .delay = 1h}));
    const auto found = [&](errand::task_filter which) {
        auto numbers = t.listed(which, 50, list_order::oldest_first);
        std::ranges::sort(numbers);
        return numbers;
    };
    CHECK(found({.state = state::delayed, .tag = "red"}) == std::vector{1, 2});
    CHECK(found({.state = state::delayed, .tag = "round"}) == std::vector{1});
    CHECK(found({.state = state::delayed, .biz_id = "two"}) == std::vector{2});
    CHECK(found({.state = state::delayed, .handler = "stranger"}) == std::vector{4});
    CHECK(found({.state = state::delayed, .queue = "other"}) == std::vector{3});
    CHECK(found({.state = state::delayed, .queue = "nowhere"}).empty());
    t.start();
    broken = true;
    const auto h = t.submit(5);
    t.submit(6);
    t.all_end(state::dead, 2);
    CHECK(found({.state = state::dead, .error = "host 6"}) == std::vector{6});
    CHECK(found({.state = state::dead, .error = "runtime_error"}) == std::vector{5, 6});
    CHECK(found({.state = state::dead, .error = "disk"}).empty());
    const auto one = t.info(h).errors.at(0);
    CHECK_FALSE(one.worker.empty());
    CHECK(one.started_at.value() <= one.at);
    CHECK_THROWS_MATCHES(t.run(t.app.inspect().list({}, "nonsense")), errand::usage_error,
                         MessageMatches(ContainsSubstring("nonsense")));
    CHECK_THROWS_AS(t.run(t.app.inspect().list({}, "", 0)), errand::usage_error);
}

TEST_CASE("a paused queue is not claimed from, others are, and it goes on when resumed", "[inspect]") {
    desk t;
    CHECK(t.run(t.app.inspect().pause("chores")));
    CHECK_FALSE(t.run(t.app.inspect().pause("chores")));
    t.start();
    const auto kept = t.submit(1);
    const auto urgent = t.submit(2, {.priority = 3});
    const auto due = t.submit(3, {.delay = 5ms});
    CHECK(t.wait(t.submit(4, {.queue = "default"})) == 4);
    eventually([&] { return t.info(due).state == state::ready; });
    CHECK(t.info(kept).state == state::ready);
    CHECK(t.info(urgent).state == state::ready);
    CHECK(t.queue().paused);
    CHECK(t.queue().paused_since);
    CHECK(t.run(t.app.inspect().resume("chores")));
    CHECK_FALSE(t.run(t.app.inspect().resume("chores")));
    CHECK(t.wait(kept) == 1);
    CHECK(t.wait(urgent) == 2);
    CHECK(t.wait(due) == 3);
    CHECK_FALSE(t.queue().paused);
    CHECK_THROWS_AS(t.run(t.app.inspect().pause("")), errand::usage_error);
}

TEST_CASE("what runs goes on when its queue is paused", "[inspect]") {
    desk t;
    blocked = true;
    t.start();
    const auto h = t.submit(1);
    t.all_end(state::working, 1);
    t.run(t.app.inspect().pause("chores"));
    blocked = false;
    CHECK(t.wait(h) == 1);
}

TEST_CASE("a task that has not started is given another due time", "[inspect]") {
    desk t;
    const auto at = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + 48h;
    const auto ready = t.submit(1);
    const auto urgent = t.submit(2, {.priority = 4});
    const auto later = t.submit(3, {.delay = 1h, .expires_after = 1h});
    const auto waits = t.submit(4, {.after = {t.app.handler<chore>().ref("never")}});
    for (const auto* h : {&ready, &urgent, &later, &waits}) CHECK(t.run(h->reschedule(at)));
    for (const auto* h : {&ready, &urgent, &later}) {
        CHECK(t.info(*h).state == state::delayed);
        CHECK(t.info(*h).due_at == at);
    }
    CHECK(t.info(waits).state == state::waiting);
    CHECK(t.info(waits).due_at == at);
    CHECK(t.count(state::delayed) == 3);
    CHECK(t.count(state::ready) == 0);
    t.start();
    // In the past: at once.
    for (const auto* h : {&ready, &urgent, &later}) {
        CHECK(t.run(h->reschedule(std::chrono::system_clock::now() - 1h)));
        CHECK_NOTHROW(t.wait(*h));
        CHECK_FALSE(t.run(h->reschedule(at)));
    }
}

TEST_CASE("a retry is brought forward, and a running task is not rescheduled", "[inspect]") {
    desk t;
    broken = true;
    t.start();
    const auto h = t.submit(1, {.max_retry = 5});
    t.all_end(state::retry, 1);
    broken = false;
    const auto at = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + 48h;
    CHECK(t.run(h.reschedule(at)));
    CHECK(t.info(h).state == state::retry);
    CHECK(t.info(h).due_at == at);
    CHECK(t.run(t.app.inspect().run_now(h.id())));
    CHECK(t.wait(h) == 1);
    CHECK(t.info(h).attempt == 2);
    blocked = true;
    const auto busy = t.submit(2);
    t.all_end(state::working, 1);
    CHECK_FALSE(t.run(busy.reschedule(at)));
    CHECK_FALSE(t.run(t.app.inspect().run_now(busy.id())));
    blocked = false;
    CHECK(t.wait(busy) == 2);
}

TEST_CASE("arguments and priority of a task that has not started are changed as one step", "[inspect]") {
    desk t;
    const auto ready = t.submit(1);
    const auto later = t.submit(2, {.delay = 1h});
    const auto inspect = t.app.inspect();
    CHECK(t.run(inspect.change(ready.id(), {.args = boost::json::array{10}})));
    CHECK(t.run(inspect.change(later.id(), {.args = boost::json::array{20}, .priority = 7})));
    CHECK(t.info(later).state == state::delayed);
    CHECK(t.run(inspect.change(later.id(), {.due_at = errand::time_point{}})));
    CHECK(t.listed({.state = state::ready}, 9, list_order::oldest_first) == std::vector{20, 10});
    t.start();
    CHECK(t.wait(ready) == 10);
    CHECK(t.wait(later) == 20);
    CHECK_FALSE(t.run(inspect.change(ready.id(), {.args = boost::json::array{3}})));
    CHECK_THROWS_MATCHES(t.run(inspect.change(ready.id(), {.priority = 12})), errand::usage_error,
                         MessageMatches(ContainsSubstring("12")));
}

TEST_CASE("changes made at once by many leave the task with one of them, and none is lost half",
          "[inspect]") {
    desk t;
    const auto h = t.submit(0, {.delay = 1h});
    const auto inspect = t.app.inspect();
    std::vector<std::thread> others;
    std::atomic<int> done{0};
    for (int i = 1; i <= 4; ++i) {
        others.emplace_back([&, i] {
            for (int round = 0; round < 10; ++round) {
                const auto changed =
                    t.app.block_on(inspect.change(h.id(), {.args = boost::json::array{i}, .priority = i}));
                if (changed) ++done;
            }
        });
    }
    for (auto& one : others) one.join();
    CHECK(done == 40);
    t.start();
    CHECK(t.run(inspect.run_now(h.id())));
    const auto result = t.wait(h);
    CHECK(result >= 1);
    CHECK(result <= 4);
}

TEST_CASE("a deleted task is gone with its biz_id, whatever its state", "[inspect]") {
    desk t;
    const auto inspect = t.app.inspect();
    const auto ready = t.submit(1, {.biz_id = "a"});
    const auto later = t.submit(2, {.biz_id = "b", .delay = 1h});
    const auto waits = t.submit(3, {.biz_id = "c", .after = {t.app.handler<chore>().ref("never")}});
    for (const auto* h : {&ready, &later, &waits}) {
        CHECK(t.run(inspect.remove(h->id())));
        CHECK_FALSE(t.run(inspect.find(h->id())));
        CHECK_FALSE(t.run(inspect.remove(h->id())));
    }
    const auto again = t.submit(4, {.biz_id = "a"});
    CHECK_FALSE(again.duplicate());
    t.start();
    CHECK(t.wait(again) == 4);
    CHECK(t.run(inspect.remove(again.id())));
    CHECK_FALSE(t.submit(5, {.biz_id = "a"}).duplicate());
    t.all_end(state::ready, 0);
    blocked = true;
    const auto busy = t.submit(6);
    t.all_end(state::working, 1);
    CHECK_FALSE(t.run(inspect.remove(busy.id())));
    blocked = false;
    CHECK(t.wait(busy) == 6);
}

TEST_CASE("who depends on a deleted task hears that it is gone", "[inspect]") {
    desk t;
    const auto a = t.submit(1, {.delay = 1h});
    const auto b = t.submit(2, {.after = {a}});
    t.start();
    CHECK(t.run(t.app.inspect().remove(a.id())));
    eventually([&] { return t.info(b).state == state::cancelled; });
}

TEST_CASE("all dead tasks that match are revived, in steps that can be stopped", "[inspect]") {
    desk t;
    broken = true;
    t.start();
    std::vector<errand::handle<int>> all;
    std::vector<std::tuple<int>> items;
    for (const int i : up_to(450)) items.emplace_back(i);
    t.run(t.app.handler<chore>().perform_bulk(items));
    t.submit(1000, {.tags = {"other"}});
    t.all_end(state::dead, 451);
    broken = false;
    const auto inspect = t.app.inspect();
    auto seen = t.run(inspect.repair_all({.state = state::dead}, repair::revive, {.dry_run = true}));
    CHECK(seen.matched == 451);
    CHECK(t.count(state::dead) == 451);
    seen = t.run(inspect.repair_all({.state = state::dead, .tag = "other"}, repair::remove));
    CHECK(seen.changed == 1);
    seen = t.run(inspect.repair_all({.state = state::dead}, repair::revive, {.most = 7}));
    CHECK(seen.changed == 7);
    int calls = 0;
    const auto stop = [&](const errand::repair_progress&) { return ++calls < 2; };
    seen = t.run(inspect.repair_all({.state = state::dead}, repair::revive, {.progress = stop}));
    CHECK(seen.changed == 400);
    seen = t.run(inspect.repair_all({.state = state::dead}, repair::revive));
    CHECK(seen.changed == 43);
    t.all_end(state::success, 450);
    CHECK_THROWS_MATCHES(t.run(inspect.repair_all({.state = state::dead}, repair::cancel)),
                         errand::usage_error, MessageMatches(ContainsSubstring("cancel")));
}

TEST_CASE("a history list that was partly deleted is read on where it was left", "[inspect]") {
    desk t;
    t.start();
    for (const int i : up_to(6)) t.wait(t.submit(i, {.retention = i < 3 ? 300ms : 1h}));
    const auto page = t.run(t.app.inspect().list({.state = state::success}, "", 2, list_order::oldest_first));
    CHECK(t.numbers(page.tasks) == std::vector{0, 1});
    CHECK(t.listed({.state = state::success}, 2, list_order::newest_first).size() >= 3);
}

TEST_CASE("of a queue that keeps too many ended tasks the oldest go, and their biz_ids stay held",
          "[inspect]") {
    auto settings = one_shard();
    settings.max_history = 5;
    desk t{settings};
    t.run(t.app.inspect().pause("chores"));
    t.start();
    for (const int i : up_to(12)) t.submit(i, {.biz_id = std::to_string(i), .retention = i % 2 ? 1h : 2h});
    std::vector<errand::handle<int>> cancelled;
    for (const int i : up_to(8)) {
        cancelled.push_back(t.submit(100 + i, {.delay = 1h}));
        t.run(cancelled.back().cancel());
        next_ms();
    }
    t.run(t.app.inspect().resume("chores"));
    t.stop();
    t.start();
    t.all_end(state::cancelled, 5);
    CHECK(t.listed({.state = state::cancelled}, 9, list_order::oldest_first) ==
          std::vector{103, 104, 105, 106, 107});
    eventually([&] { return t.count(state::ready) + t.count(state::working) == 0; });
    // Whole entries leave a history list, so fewer may stay.
    eventually([&] {
        t.stop();
        t.start();
        return t.count(state::success) <= 5;
    });
    CHECK(t.listed({.state = state::success}, 9, list_order::oldest_first).size() == t.count(state::success));
    for (const int i : up_to(12)) CHECK(t.submit(i, {.biz_id = std::to_string(i)}).duplicate());
    CHECK(t.run(t.app.inspect().check()).found == 0);
}

TEST_CASE("what an inspector was asked goes on when the inspector is gone", "[inspect]") {
    desk t;
    const auto h = t.submit(1, {.delay = 1h});
    const auto later = [](errand::app& app, const std::string& id) {
        const auto inspect = app.inspect();
        return inspect.cancel(id);
    };
    CHECK(t.run(later(t.app, h.id())));
    CHECK(t.count(state::cancelled) == 1);
}
