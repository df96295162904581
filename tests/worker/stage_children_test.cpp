// Tasks that a stage submits: taken up again by its next run.
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::awaitable;
using errand::state;
using errand::task_context;
using errand::test::eventually;

TEST_CASE("a child submitted in a stage is taken up by the stage's next run") {
    bench t;
    std::mutex guard;
    std::vector<std::vector<std::string>> seen;
    const bool pool = GENERATE(false, true);
    t.book.body = [&](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("children", [&]() -> awaitable<int> {
            auto echoes = t.app.handler<echo>();
            auto one = co_await echoes.perform_async(1);
            auto two = co_await echoes.perform_async(2);
            auto second_one = co_await echoes.perform_async(1);
            auto named = co_await t.app.perform("worker_test::echo", {3});
            auto many = co_await echoes.perform_bulk(std::vector{4, 4});
            auto own = co_await echoes.with({.biz_id = "b " + self.id()}).perform_async(5);
            std::vector ids{one.id(),     two.id(),     second_one.id(), named.id(),
                            many[0].id(), many[1].id(), own.id()};
            co_await errand::transaction(t.app, [&]() -> awaitable<void> {
                ids.push_back((co_await echoes.perform_async(6)).id());
            });
            {
                std::lock_guard lock{guard};
                seen.push_back(ids);
            }
            const int sum = co_await one + co_await two + co_await second_one;
            if (self.attempt() < 3) throw std::runtime_error{"crash"};
            co_return sum;
        });
    };
    t.start();
    const auto h = pool ? submit<free_form_on_pool>(t) : submit<free_form>(t);
    CHECK(t.wait(h) == 4);
    REQUIRE(seen.size() == 3);
    CHECK(seen[0] == seen[1]);
    CHECK(seen[1] == seen[2]);
    CHECK(std::set(seen[0].begin(), seen[0].end()).size() == seen[0].size());
    const std::map<std::string, int> expected{{"1", 2}, {"2", 1}, {"3", 1}, {"4", 2}, {"5", 1}, {"6", 1}};
    eventually([&] {
        return std::ranges::all_of(expected,
                                   [&](const auto& one) { return t.book.count(one.first) >= one.second; });
    });
    for (const auto& one : expected) CHECK(t.book.count(one.first) == one.second);
    // Another task has children of its own.
    CHECK(t.wait(submit(t)) == 4);
    CHECK(seen[3][0] != seen[0][0]);
}

TEST_CASE("a child that was cancelled is started anew by the stage's next run") {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("child", [&]() -> awaitable<int> {
            errand::options extra;
            if (self.attempt() == 1) extra.delay = 1h;
            auto h = co_await t.app.handler<echo>().with(extra).perform_async(9);
            t.book.note(h.id());
            if (self.attempt() == 1) co_await h.cancel();
            CHECK_FALSE(h.duplicate());
            co_return co_await h;
        });
    };
    t.start();
    CHECK(t.wait(submit(t)) == 9);
    CHECK(t.book.count("9") == 1);
    CHECK(t.book.kinds() == 2);
}

TEST_CASE("a submission that a transaction dropped leaves its id to the next one alike") {
    bench t;
    std::vector<std::string> ids;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("child", [&]() -> awaitable<int> {
            const bool drops = self.attempt() == 1;
            try {
                co_await errand::transaction(t.app, [&]() -> awaitable<void> {
                    if (drops) ids.push_back((co_await t.app.handler<echo>().perform_async(1)).id());
                    throw std::runtime_error{"rolled back"};
                });
            } catch (const std::runtime_error&) {
            }
            ids.push_back((co_await t.app.handler<echo>().perform_async(1)).id());
            if (drops) throw std::runtime_error{"crash"};
            co_return 1;
        });
    };
    t.start();
    CHECK(t.wait(submit(t)) == 1);
    REQUIRE(ids.size() == 3);
    CHECK(ids[0] == ids[1]);
    CHECK(ids[1] == ids[2]);
}

TEST_CASE("chains and groups that a stage submits are taken up whole, in whatever order it submits them") {
    bench t;
    std::map<int, std::set<std::string>> ids;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("plans", [&]() -> awaitable<int> {
            auto echoes = t.app.handler<echo>();
            std::vector<int> order{10, 20};
            if (self.attempt() == 2) std::ranges::reverse(order);
            int sum = 0;
            for (const int first : order) {
                const auto members = std::vector{echoes.plan(first), echoes.plan(first + 1)};
                auto h = co_await errand::group(members).submit();
                ids[self.attempt()].insert(std::to_string(first) + " " + h.id());
                const auto results = co_await h;
                sum += results.at(0) * results.at(1);
            }
            if (self.attempt() == 1) throw std::runtime_error{"crash"};
            co_return sum;
        });
    };
    t.start();
    CHECK(t.wait(submit(t)) == 10 * 11 + 20 * 21);
    CHECK(ids[1] == ids[2]);
    for (const auto* value : {"10", "11", "20", "21"}) CHECK(t.book.count(value) == 1);
}
