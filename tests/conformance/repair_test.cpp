// Pausing, changing, deleting and reviving tasks.
#include "support/desk.hpp"

#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace desk_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::repair;

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
        CHECK(t.run(h->reschedule(std::chrono::system_clock::now() - 1min)));
        CHECK_NOTHROW(t.wait(*h));
        CHECK_FALSE(t.run(h->reschedule(at)));
    }
}

TEST_CASE("a retry is brought forward, and a running task is not rescheduled", "[inspect]") {
    desk t;
    desk_is_broken = true;
    t.start();
    const auto h = t.submit(1, {.max_retry = 5});
    t.all_end(state::retry, 1);
    desk_is_broken = false;
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
    desk t{one_shard()};
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

TEST_CASE(
    "a dead task that gets other arguments starts again with them, and with all that was cancelled because of it",
    "[inspect]") {
    desk t{one_shard()};
    t.start();
    desk_is_broken = true;
    const auto dead = t.submit(1, {.max_retry = 0});
    const auto child = t.submit(5, {.after = {dead}});
    const auto beside = t.submit(2, {.max_retry = 0});
    eventually([&] { return t.info(dead).state == state::dead && t.info(beside).state == state::dead; });
    eventually([&] { return t.info(child).state == state::cancelled; });
    desk_is_broken = false;
    const auto inspect = t.app.inspect();
    // It is not brought back by the way.
    CHECK_FALSE(t.run(inspect.change(dead.id(), {.priority = 3})));
    CHECK_FALSE(t.run(inspect.change(dead.id(),
                                     {.args = boost::json::array{10}, .due_at = errand::time_point{}})));
    CHECK_FALSE(t.run(inspect.change(child.id(), {.args = boost::json::array{10}})));
    CHECK(t.info(dead).state == state::dead);
    CHECK(t.run(inspect.pause("chores")));
    CHECK(t.run(inspect.change(beside.id(), {.args = boost::json::array{20}})));
    // Longer than what stands in a row of its own, and shorter again.
    const std::string long_text(20'000, 'x');
    CHECK(t.run(inspect.change(dead.id(), {.args = boost::json::array{long_text}, .priority = 3})));
    const auto again = t.info(dead);
    CHECK(again.state == state::ready);
    CHECK(again.args == boost::json::array{long_text});
    CHECK(again.attempt == 0);
    const auto first =
        t.run(inspect.list({.state = state::ready, .queue = "chores"}, {}, 1, list_order::oldest_first));
    REQUIRE(first.tasks.size() == 1);
    CHECK(first.tasks.front().id == dead.id());
    CHECK(t.run(inspect.resume("chores")));
    // These are no arguments for it: it is dead once more, and is mended once more.
    eventually([&] { return t.info(dead).state == state::dead; });
    CHECK(t.run(inspect.change(dead.id(), {.args = boost::json::array{10}})));
    CHECK(t.wait(dead) == 10);
    CHECK(t.wait(beside) == 20);
    CHECK(t.wait(child) == 5);
    CHECK(t.info(dead).attempt == 1);
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
    t.all_end(state::working, 0);
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
    desk_is_broken = true;
    t.start();
    std::vector<errand::handle<int>> all;
    std::vector<std::tuple<int>> items;
    for (const int i : up_to(450)) items.emplace_back(i);
    t.run(t.app.handler<chore>().perform_bulk(items));
    t.submit(1000, {.tags = {"other"}});
    t.all_end(state::dead, 451);
    desk_is_broken = false;
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
