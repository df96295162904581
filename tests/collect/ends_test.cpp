// How items end: by their run's death, by themselves, and who is told.
#include "collect/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace collect_test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("on_dead is told of each item of a run that is dead, and of the run") {
    office t;
    t.start();
    const auto one = t.send<mourned>(1);
    const auto carrier = t.carrier_of(one);
    const auto two = t.send<mourned>(13);
    CHECK_THROWS_AS(t.wait(one), errand::task_failed);
    CHECK_THROWS_AS(t.wait(two), errand::task_failed);
    for (const auto& id : {one.id(), two.id(), carrier}) {
        const auto told = died.of(id);
        REQUIRE_FALSE(told.empty());
        CHECK(told[0].state == state::dead);
        REQUIRE_FALSE(told[0].errors.empty());
        CHECK(told[0].errors.back().message == "thirteen");
    }
    CHECK(died.of(one.id())[0].attempt == 1);
}

TEST_CASE("on_dead is told of an item that has failed for the last time, and of no other") {
    office t;
    t.start();
    const auto good = t.send<mourned>(1);
    const auto carrier = t.carrier_of(good);
    const auto bad = t.send<mourned>(-1);
    CHECK_NOTHROW(t.wait(good));
    CHECK_THROWS_AS(t.wait(bad), errand::task_failed);
    REQUIRE_FALSE(died.of(bad.id()).empty());
    CHECK(died.of(bad.id())[0].errors.back().message == "a negative one");
    CHECK(died.of(good.id()).empty());
    CHECK(died.of(carrier).empty());
}

TEST_CASE("who cancels the run of a bundle cancels its items") {
    office t;
    t.start();
    const auto one = t.send<pairs>(1);
    const auto carrier = t.carrier_of(one);
    CHECK(t.run(t.app.inspect().cancel(carrier)));
    CHECK_THROWS_AS(t.wait(one), errand::task_failed);
    const auto shown = t.info(one);
    CHECK(shown.state == state::cancelled);
    REQUIRE_FALSE(shown.errors.empty());
    CHECK_THAT(shown.errors.back().message, ContainsSubstring("was cancelled"));
    CHECK(t.book.made().empty());
}

TEST_CASE("an item that is cancelled while it is run ends so, and the others as the run says") {
    office t;
    t.book.held = true;
    t.start();
    const auto one = t.send<crowd>(1);
    eventually([&] { return t.book.at_once == 1; });
    CHECK(t.run(one.cancel()));
    t.book.held = false;
    const auto two = t.send<crowd>(2);
    CHECK_NOTHROW(t.wait(two));
    CHECK(t.info(one).state == state::cancelled);
}

TEST_CASE("the limits of a handler count runs, and what comes while a run waits for one comes into it") {
    office t;
    t.book.held = true;
    t.start();
    const auto first = t.send<crowd>(1);
    eventually([&] { return t.book.at_once == 1; });
    const auto second = t.send<crowd>(2);
    const auto carrier = t.carrier_of(second);
    eventually([&] { return t.state_of(carrier) == state::ready; });
    const auto third = t.send<crowd>(3);
    CHECK(t.carrier_of(third) == carrier);
    CHECK(t.book.most_at_once == 1);
    t.book.held = false;
    CHECK_NOTHROW(t.wait(first));
    CHECK_NOTHROW(t.wait(second));
    CHECK_NOTHROW(t.wait(third));
    CHECK(t.book.made() == std::vector<std::vector<int>>{{1}, {2, 3}});
    CHECK(t.book.most_at_once == 1);
}

TEST_CASE("a task that is no run over items cannot say that one has failed") {
    office t;
    t.start();
    const auto h = t.send<tells_of_items>();
    CHECK_THROWS_AS(t.wait(h), errand::task_failed);
    CHECK_THAT(t.info(h).errors.back().message, ContainsSubstring("no run over collected items"));
}

TEST_CASE("items that are submitted by name are collected, and a wrong one harms no other") {
    office t;
    t.start();
    const auto send = [&](boost::json::value item) {
        return t.run(t.app.perform("collect_test::mourned", boost::json::array{std::move(item)}));
    };
    const auto wrong = send("no number");
    CHECK_THROWS_AS(t.wait(wrong), errand::task_failed);
    CHECK_THAT(t.info(wrong).errors.back().message, ContainsSubstring("expected an integer"));
    CHECK(t.info(wrong).state == state::dead);
    CHECK(t.book.made().empty());
    const auto right = t.run(t.app.perform("collect_test::crowd", boost::json::array{7}));
    CHECK_NOTHROW(t.wait(right));
    CHECK(t.book.made() == std::vector<std::vector<int>>{{7}});
}

TEST_CASE("items of a transaction leave with its commit, and those of a bulk submission together") {
    office t;
    t.start();
    const auto sum = t.run([](errand::app& app, errand::proxy<pairs> on) -> errand::awaitable<int> {
        int all = 0;
        co_await errand::transaction(app, [&]() -> errand::awaitable<void> {
            co_await on.perform_async(1);
            co_await on.perform_async(2);
        });
        const std::vector<int> more{3, 4};
        auto handles = co_await on.perform_bulk(more);
        for (auto& h : handles) all += co_await h;
        co_return all;
    }(t.app, t.app.handler<pairs>()));
    CHECK(sum == 7);
    eventually([&] { return t.book.made().size() == 2; });
    CHECK(sorted(t.book.made()[0]) == std::vector{1, 2});
    CHECK(sorted(t.book.made()[1]) == std::vector{3, 4});
}
