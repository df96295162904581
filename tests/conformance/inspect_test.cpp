// Looking at tasks, as an operator's program does it.
#include "support/desk.hpp"

#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace desk_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

ERRAND_DEFINE_HANDLER(desk_test::chore)

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

    desk_is_broken = true;
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
    desk_is_broken = true;
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

TEST_CASE("tasks of many queues are listed in one order, each once, by a cursor that does not grow with them",
          "[inspect]") {
    constexpr int queues = 12, tasks = 36;
    desk t;
    const auto page = GENERATE(1U, 5U);
    const auto order = GENERATE(list_order::oldest_first, list_order::newest_first);
    // Several times in all queues, and more than one to many of a time: tasks that end together.
    const auto queue_of = [](int i) { return "queue-" + std::to_string(i * 7 % queues); };
    std::vector<errand::handle<int>> all;
    for (const int i : up_to(tasks)) {
        all.push_back(t.submit(i, {.queue = queue_of(i), .delay = 1h + i / 4 * 1s}));
        t.submit(100 + i, {.queue = queue_of(i)});
    }
    const auto seen = [&](state in) {
        std::vector<errand::task_info> found;
        std::string next;
        do {
            auto got = t.run(t.app.inspect().list({.state = in}, next, page, order));
            for (auto& one : got.tasks) found.push_back(std::move(one));
            next = got.next;
            CHECK(next.size() < 300);
        } while (!next.empty());
        return found;
    };
    const auto each_once = [&](state in, const std::vector<int>& expected) {
        INFO(to_string(in));
        auto found = t.numbers(seen(in));
        std::ranges::sort(found);
        CHECK(found == expected);
    };
    const auto in_order = [&](state in, auto time) {
        INFO(to_string(in));
        auto found = seen(in);
        if (order == list_order::newest_first) std::ranges::reverse(found);
        CHECK(std::ranges::is_sorted(found, {}, time));
    };
    std::vector<int> later;
    for (const int i : up_to(tasks)) later.push_back(100 + i);
    each_once(state::ready, later);
    each_once(state::delayed, up_to(tasks));
    in_order(state::delayed, [](const errand::task_info& one) { return one.due_at; });
    for (const auto& one : all) t.run(one.cancel());
    each_once(state::delayed, {});
    each_once(state::cancelled, up_to(tasks));
    in_order(state::cancelled, [](const errand::task_info& one) { return one.finished_at; });
}

TEST_CASE("successes of many queues are listed each once, by page", "[inspect]") {
    auto settings = errand::test::fresh_settings();
    for (const int i : up_to(6)) settings.queues["queue-" + std::to_string(i)] = 1;
    desk t{std::move(settings)};
    for (const int i : up_to(48)) {
        t.submit(i, {.queue = "queue-" + std::to_string(i % 6), .retention = i % 4 ? 1h : 2h});
    }
    t.start();
    eventually([&] {
        return t.listed({.state = state::success}, 50, list_order::oldest_first).size() == 48;
    });
    for (const auto order : {list_order::oldest_first, list_order::newest_first}) {
        for (const std::size_t page : {1U, 7U}) {
            auto found = t.listed({.state = state::success}, page, order);
            std::ranges::sort(found);
            CHECK(found == up_to(48));
        }
    }
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
    desk_is_broken = true;
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

TEST_CASE("a history list that was partly deleted is read on where it was left", "[inspect]") {
    desk t;
    t.start();
    for (const int i : up_to(6)) {
        t.wait(t.submit(i, {.retention = i < 3 ? 3s : 1h}));
        // Ends of the same millisecond have no order.
        const auto now = [] {
            return std::chrono::floor<errand::duration>(std::chrono::system_clock::now());
        };
        eventually([&, at = now()] { return now() > at; });
    }
    const auto page = t.run(t.app.inspect().list({.state = state::success}, "", 2, list_order::oldest_first));
    CHECK(t.numbers(page.tasks) == std::vector{0, 1});
    CHECK(t.listed({.state = state::success}, 2, list_order::newest_first).size() >= 3);
}
