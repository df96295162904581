// Chains and groups, as a user writes them.
#include <errand/errand.hpp>

#include "store/store.hpp"
#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::state;
using errand::test::eventually;
using errand::test::test_app;

namespace plan_test {

std::atomic<bool> refuses_negative{false};

struct number {
    errand::awaitable<int> perform(int value) {
        if (refuses_negative && value < 0) throw std::runtime_error{"negative"};
        co_return value;
    }
};
struct add {
    errand::awaitable<int> perform(int before, int value) { co_return before + value; }
};
struct sum {
    errand::awaitable<int> perform(std::vector<int> all) {
        int total = 0;
        for (const int one : all) total += one;
        co_return total;
    }
};
struct describe {
    errand::awaitable<std::string> perform(std::tuple<int, std::string> both, std::string end) {
        co_return std::to_string(std::get<0>(both)) + std::get<1>(both) + end;
    }
};
struct say {
    errand::awaitable<std::string> perform(std::string text) { co_return text; }
};
struct mark {
    errand::test::test_journal& journal;
    explicit mark(errand::test::test_journal& j) : journal{j} {}
    errand::awaitable<void> perform(std::string text) {
        journal.add(text);
        co_return;
    }
};

}  // namespace plan_test

using namespace plan_test;
using errand::chain;
using errand::group;

ERRAND_HANDLER(plan_test::number, .max_retry = 0)
ERRAND_HANDLER(plan_test::add, .max_retry = 0)
ERRAND_HANDLER(plan_test::sum, .max_retry = 0)
ERRAND_HANDLER(plan_test::describe, .max_retry = 0)
ERRAND_HANDLER(plan_test::say, .max_retry = 0)
ERRAND_HANDLER(plan_test::mark, .max_retry = 0)

namespace {

struct plan_bench : test_app {
    plan_bench() { refuses_negative = false; }
    errand::proxy<plan_test::number> numbers = app.handler<plan_test::number>();
    errand::proxy<plan_test::add> adds = app.handler<plan_test::add>();
    errand::proxy<sum> sums = app.handler<sum>();
    errand::proxy<mark> marks = app.handler<mark>();

    std::vector<errand::plan<int>> many(int count, int first = 1) {
        std::vector<errand::plan<int>> all;
        for (int i = 0; i < count; ++i) all.push_back(numbers.plan(first + i));
        return all;
    }
    template <class T>
    void ends_as(const errand::handle<T>& h, state wanted) {
        eventually([&] { return info(h).state == wanted; });
    }
    std::vector<std::string> lines() {
        std::lock_guard lock{journal.guard};
        return journal.lines;
    }
};

}  // namespace

TEST_CASE("each task of a chain gets the result of the one before it when it takes one", "[plan]") {
    plan_bench t;
    t.start();
    auto h = t.run(chain(t.numbers.plan(1), t.adds.plan(10), t.numbers.plan(5), t.adds.plan(100)).submit());
    CHECK(t.wait(h) == 105);
    CHECK(t.info(h).after.size() == 1);
}

TEST_CASE("a group gives the results of its members in order", "[plan]") {
    plan_bench t;
    t.start();
    auto h = t.run(group(t.many(1200)).submit());
    const auto got = t.wait(h);
    REQUIRE(got.size() == 1200);
    for (int i = 0; i < 1200; ++i) CHECK(got[static_cast<std::size_t>(i)] == i + 1);
    const auto progress = errand::progress_of(t.info(h));
    CHECK(progress.done == 1200);
    CHECK(progress.total == 1200);
}

TEST_CASE("what follows a group gets all results, also of groups in groups", "[plan]") {
    plan_bench t;
    t.start();
    CHECK(t.wait(t.run(chain(group(t.many(10)), t.sums.plan()).submit())) == 55);
    std::vector parts{chain(group(t.many(3)), t.sums.plan()), chain(group(t.many(2)), t.sums.plan())};
    CHECK(t.wait(t.run(chain(group(parts), t.sums.plan(), t.adds.plan(1)).submit())) == 10);
    const std::vector nested{group(t.many(2)), group(t.many(1, 7))};
    CHECK(t.wait(t.run(group(nested).submit())) == std::vector<std::vector<int>>{{1, 2}, {7}});
}

TEST_CASE("a group may be of different kinds", "[plan]") {
    plan_bench t;
    t.start();
    auto h = t.run(chain(group(t.numbers.plan(7), t.app.handler<say>().plan("x")),
                         t.app.handler<describe>().plan("!"))
                       .submit());
    CHECK(t.wait(h) == "7x!");
}

TEST_CASE("each member of a group in a chain gets the result before it", "[plan]") {
    plan_bench t;
    t.start();
    const std::vector members{t.adds.plan(1), t.adds.plan(2)};
    CHECK(t.wait(t.run(chain(t.numbers.plan(10), group(members), t.sums.plan()).submit())) == 23);
}

TEST_CASE("an empty group has ended well", "[plan]") {
    plan_bench t;
    t.start();
    const std::vector<errand::plan<int>> none;
    CHECK(t.wait(t.run(chain(group(none), t.sums.plan()).submit())) == 0);
    CHECK(t.wait(t.run(chain(t.numbers.plan(3), group(none), t.sums.plan()).submit())) == 0);
    CHECK_THROWS_AS(t.run(group(none).submit()), errand::usage_error);
}

TEST_CASE("a group with a failed member is cancelled when all have ended, and comes back with it", "[plan]") {
    plan_bench t;
    refuses_negative = true;
    auto all = t.many(5);
    all.push_back(t.numbers.plan(-15));
    auto members = group(all);
    auto h = t.run(chain(members, t.sums.plan()).submit());
    auto always = t.run(chain(members, t.marks.plan("ended").always(), t.marks.plan("after")).submit());
    const auto before = t.info(h);
    CHECK(before.state == state::waiting);
    t.start();
    t.ends_as(h, state::cancelled);
    t.wait(always);
    CHECK(t.lines() == std::vector<std::string>{"ended", "after"});
    const auto node = t.run(t.app.find<std::vector<int>>(before.after.at(0))).value();
    const auto progress = errand::progress_of(t.info(node));
    CHECK(progress.done == 5);
    CHECK(progress.failed == 1);
    CHECK(progress.total == 6);
    CHECK_FALSE(t.run(node.revive()));
    CHECK_THROWS_AS(t.wait(node), errand::task_failed);
    refuses_negative = false;
    const auto failed = t.run(t.app.find<int>(t.info(node).after.at(5))).value();
    CHECK(t.run(failed.revive()));
    t.ends_as(h, state::success);
    CHECK(t.wait(h) == 0);
}

TEST_CASE("progress of a group is seen while it runs", "[plan]") {
    plan_bench t;
    auto all = t.many(3);
    all.push_back(t.numbers.with({.delay = 1h}).plan(4));
    t.start();
    auto h = t.run(group(all).submit());
    eventually([&] { return errand::progress_of(t.info(h)).done == 3; });
    CHECK(errand::progress_of(t.info(h)).failed == 0);
    CHECK(errand::progress_of(t.info(h)).total == 4);
}

TEST_CASE("a plan leaves with the transaction it was submitted under", "[plan]") {
    plan_bench t;
    t.start();
    std::optional<errand::handle<int>> h;
    auto plan = chain(group(t.many(3)), t.sums.plan());
    t.run(errand::transaction(t.app, [&]() -> errand::awaitable<void> { h = co_await plan.submit(); }));
    CHECK(t.wait(*h) == 6);
}

TEST_CASE("a large plan is submitted in steps and comes to its end", "[plan]") {
    plan_bench t;
    t.start();
    auto h = t.run(chain(group(t.many(1500)), t.sums.plan()).submit());
    CHECK(t.wait(h) == 1500 * 1501 / 2);
}

TEST_CASE("a chain whose first task had failed begins again", "[plan]") {
    plan_bench t;
    refuses_negative = true;
    t.start();
    auto first = t.numbers.with({.biz_id = "k"});
    auto dead = t.run(chain(first.plan(-1), t.adds.plan(10)).submit());
    t.ends_as(dead, state::cancelled);
    refuses_negative = false;
    auto again = t.run(chain(first.plan(-1), t.adds.plan(10)).submit());
    CHECK(t.wait(again) == 9);
}

TEST_CASE("a member that stands twice in a group has two places in its results", "[plan]") {
    plan_bench t;
    t.start();
    auto one = t.numbers.with({.biz_id = "one"}).plan(1);
    CHECK(t.wait(t.run(group(std::vector{one, t.numbers.plan(2), one}).submit())) == std::vector{1, 2, 1});
    CHECK(t.wait(t.run(group(one, one).submit())) == std::tuple{1, 1});
}

TEST_CASE("a group is never run, not even when it was cancelled by hand and is revived", "[plan]") {
    plan_bench t;
    auto h = t.run(group(t.many(3)).submit());
    CHECK(t.run(h.cancel()));
    CHECK_FALSE(t.run(h.revive()));
    CHECK(t.info(h).state == state::cancelled);
}

TEST_CASE("what is set of a handler counts in a plan as well, unless the submission says it", "[plan]") {
    plan_bench t;
    const auto said = t.adds.with({.retention = 2h});
    const auto h = t.run(chain(t.numbers.plan(1), t.adds.plan(10)).submit());
    const auto own = t.run(chain(t.numbers.plan(1), said.plan(10)).submit());
    t.run(t.app.configure("plan_test::add", {.retention = 40min}));
    t.start();
    t.wait(h);
    t.wait(own);
    boost::asio::io_context io;
    const auto store = errand::test::opened_store(io, t.app);
    const auto kept = [&](const auto& which) {
        const auto found = errand::test::await(io, store->find(errand::required_task_id(which.id())));
        return errand::decode_outcome(found.value().outcome).retention;
    };
    CHECK(kept(h) == 40min);
    CHECK(kept(own) == 2h);
    store->close();
    io.restart();
    io.run();
}

TEST_CASE("members that leave nothing behind are heard by a large group", "[plan]") {
    plan_bench t;
    t.start();
    std::vector<errand::plan<void>> all;
    for (int i = 0; i < 400; ++i) {
        all.push_back(t.marks.with({.priority = i > 100 ? 9 : 0, .retention = 0ms}).plan(std::to_string(i)));
    }
    t.wait(t.run(group(all).submit()));
    CHECK(t.lines().size() == 400);
}
