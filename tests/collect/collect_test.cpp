// Items that are collected and run together, from the submission to the end of each.
#include "collect/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace collect_test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("of 250 items a hundred are run at a time, and the last fifty when somebody says so", "[collect]") {
    office t;
    std::vector<int> numbers(250);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto handles = t.run(t.app.handler<hundred>().perform_bulk(numbers));
    t.start();
    std::vector<errand::handle<void>> left;
    eventually([&] {
        left.clear();
        for (const auto& h : handles) {
            const auto shown = t.info(h);
            if (shown.state == state::ready || shown.state == state::working) return false;
            if (shown.state == state::waiting) left.push_back(h);
        }
        return left.size() == 50;
    });
    CHECK(t.book.sizes() == std::vector<std::size_t>{100, 100});
    CHECK(t.run(t.app.inspect().run_now(t.info(left[0]).waits_for.at(0))));
    for (const auto& h : handles) t.wait(h);
    CHECK(t.book.sizes() == std::vector<std::size_t>{100, 100, 50});
    std::vector<int> all;
    for (const auto& one : t.book.made()) all.insert(all.end(), one.begin(), one.end());
    CHECK(sorted(all) == numbers);
}

TEST_CASE("of 250 items a hundred are run at a time, and the last fifty when none has come for a while",
          "[collect]") {
    office t;
    std::vector<int> numbers(250);
    std::iota(numbers.begin(), numbers.end(), 0);
    t.start();
    for (const auto& h : t.run(t.app.handler<hundred_or_rest>().perform_bulk(numbers))) t.wait(h);
    auto sizes = t.book.sizes();
    std::ranges::sort(sizes);
    CHECK(sizes == std::vector<std::size_t>{50, 100, 100});
    std::vector<int> all;
    for (const auto& one : t.book.made()) all.insert(all.end(), one.begin(), one.end());
    CHECK(sorted(all) == numbers);
}

TEST_CASE("each item has its own result, and runs with those of its key alone", "[collect]") {
    office t;
    t.start();
    const auto a1 = t.send_fact("a", 1), b1 = t.send_fact("b", 1), a2 = t.send_fact("a", 2),
               b2 = t.send_fact("b", 2);
    CHECK(t.wait(a1) == "a/1");
    CHECK(t.wait(a2) == "a/2");
    CHECK(t.wait(b1) == "b/1");
    CHECK(t.wait(b2) == "b/2");
    for (const auto& one : t.book.made()) CHECK(one.size() <= 2);
    CHECK(t.info(a1).attempt == 1);
}

TEST_CASE("a run that fails is made again with the same items", "[collect]") {
    office t;
    t.book.failing = 1;
    t.start();
    const auto one = t.run(t.app.handler<pairs>().perform_async(1));
    eventually([&] { return t.waits(one); });
    const auto two = t.run(t.app.handler<pairs>().perform_async(2));
    CHECK(t.wait(one) == 1);
    CHECK(t.wait(two) == 2);
    CHECK(t.book.made() == std::vector<std::vector<int>>{{1, 2}, {1, 2}});
}

TEST_CASE("an item that the run says has failed is collected again, and dead when it has no retries left",
          "[collect]") {
    office t;
    t.start();
    const auto good = t.send_fact("a", 1), bad = t.send_fact("a", -1);
    CHECK(t.wait(good) == "a/1");
    CHECK_THROWS_AS(t.wait(bad), errand::task_failed);
    const auto shown = t.info(bad);
    CHECK(shown.state == state::dead);
    CHECK(shown.attempt == 2);
    REQUIRE(shown.errors.size() == 2);
    CHECK(shown.errors[1].message == "a negative one");
    int runs = 0;
    for (const auto& one : t.book.made()) runs += static_cast<int>(std::ranges::count(one, -1));
    CHECK(runs == 2);
}

TEST_CASE("when the run is dead its items are, and one that is revived is collected again", "[collect]") {
    office t;
    t.book.failing = 2;
    t.start();
    const auto one = t.send_fact("a", 1);
    CHECK_THROWS_AS(t.wait(one), errand::task_failed);
    CHECK(t.info(one).state == state::dead);
    CHECK(t.info(one).errors.back().message == "not now");
    CHECK(t.run(one.revive()));
    CHECK(t.wait(one) == "a/1");
}

TEST_CASE("an item in an open bundle can be cancelled, and the bundle takes another in its place",
          "[collect]") {
    office t;
    t.start();
    const auto first = t.run(t.app.handler<pairs>().perform_async(1));
    eventually([&] { return t.waits(first); });
    CHECK(t.run(first.cancel()));
    const auto second = t.run(t.app.handler<pairs>().perform_async(2));
    eventually([&] { return t.waits(second); });
    CHECK(t.book.made().empty());
    const auto third = t.run(t.app.handler<pairs>().perform_async(3));
    CHECK(t.wait(second) == 2);
    CHECK(t.wait(third) == 3);
    CHECK(t.book.made() == std::vector<std::vector<int>>{{2, 3}});
    CHECK(t.info(first).state == state::cancelled);
}

TEST_CASE("a waiting item shows for what it waits, and that is run as one task", "[collect]") {
    office t;
    t.start();
    const auto first = t.run(t.app.handler<pairs>().perform_async(1));
    eventually([&] { return t.waits(first); });
    const auto waits_for = t.info(first).waits_for;
    REQUIRE(waits_for.size() == 1);
    const auto carrier = t.run(t.app.inspect().find(waits_for.front()));
    REQUIRE(carrier);
    CHECK(carrier->state == state::delayed);
    CHECK(carrier->handler == "collect_test::pairs");
    t.wait(t.run(t.app.handler<pairs>().perform_async(2)));
    CHECK(t.wait(first) == 1);
    CHECK(t.run(t.app.inspect().find(waits_for.front()))->state == state::success);
}

TEST_CASE("a delayed item joins when its time has come, and one that waits for a task when that has ended",
          "[collect]") {
    office t;
    t.start();
    const auto on = t.app.handler<pairs>();
    const auto parent =
        t.run(t.app.handler<plain_list>().with({.delay = 30ms}).perform_async(std::vector{1, 2}));
    const auto late = t.run(on.perform_in(20ms, 1));
    const auto after = t.run(on.with({.after = {parent}}).perform_async(2));
    CHECK(t.wait(late) == 1);
    CHECK(t.wait(after) == 2);
    CHECK(t.wait(parent) == 3);
    CHECK(sorted(t.book.made().at(0)) == std::vector{1, 2});
}

TEST_CASE("a task that comes after an item waits for its end", "[collect]") {
    office t;
    t.start();
    const auto first = t.run(t.app.handler<pairs>().perform_async(1));
    const auto next =
        t.run(t.app.handler<plain_list>().with({.after = {first}}).perform_async(std::vector{4}));
    eventually([&] { return t.waits(first); });
    CHECK(t.waits(next));
    t.run(t.app.handler<pairs>().perform_async(2));
    CHECK(t.wait(next) == 4);
}

TEST_CASE("a second item with the same biz_id takes the place of the first one in an open bundle",
          "[collect]") {
    // Over several shards those with a biz_id stand where that places them.
    auto settings = errand::test::fresh_settings();
    settings.shards = std::min<std::size_t>(settings.shards, 1);
    office t{settings};
    const auto on = t.app.handler<pairs>();
    t.start();
    const auto first = t.run(on.with({.biz_id = "x"}).perform_async(1));
    eventually([&] { return t.waits(first); });
    const auto kept = t.run(on.with({.biz_id = "x"}).perform_async(5));
    CHECK(kept.duplicate());
    CHECK(kept.id() == first.id());
    const auto again = t.run(on.with({.biz_id = "x", .on_duplicate = errand::replace}).perform_async(7));
    CHECK(again.id() == first.id());
    eventually([&] { return t.waits(again); });
    CHECK(t.wait(t.run(on.perform_async(8))) == 8);
    CHECK(t.wait(first) == 7);
    CHECK(t.book.made() == std::vector<std::vector<int>>{{7, 8}});
}

TEST_CASE("a run with another number of results than items is dead, and so are the items", "[collect]") {
    office t;
    t.start();
    const auto one = t.run(t.app.handler<pairs>().perform_async(13));
    eventually([&] { return t.waits(one); });
    const auto two = t.run(t.app.handler<pairs>().perform_async(1));
    CHECK_THROWS_AS(t.wait(two), errand::task_failed);
    CHECK_THAT(t.info(one).errors.back().message, ContainsSubstring("1 results for 2 items"));
}

TEST_CASE("a list is refused where items are collected, and an item where they are not", "[collect]") {
    office t;
    CHECK_THROWS_WITH(t.run(t.app.handler<hundred>().perform_async(std::vector<int>{1})),
                      ContainsSubstring("give one item to each call"));
    CHECK_THROWS_WITH(t.run(t.app.handler<plain_vector>().perform_async(1)),
                      ContainsSubstring("has no .collect"));
}
