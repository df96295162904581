// That handlers live in a harness as they do in a worker.
#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;
using lines = std::vector<std::string>;

TEST_CASE("a task that waits for others runs after them") {
    bench t;
    const auto handler = t.app().handler<write_line>();
    const auto a = t.run(handler.perform_in(1h, "a"));
    t.run(handler.with({.after = {a, handler.ref("later")}}).perform_async("c"));
    t.run(handler.with({.biz_id = "later"}).perform_async("b"));
    t.drain();
    CHECK(t.lines.lines == lines{"b"});
    CHECK(t.advance(1h) == 2);
    CHECK(t.lines.lines == lines{"b", "a", "c"});
}

TEST_CASE("a task is cancelled with the one it depends on") {
    bench t;
    const auto handler = t.app().handler<write_line>();
    const auto a = t.run(handler.perform_in(1h, "a"));
    const auto b = t.run(handler.with({.after = {a}}).perform_async("b"));
    CHECK(t.run(a.cancel()));
    CHECK(t.drain() == 0);
    CHECK(t.run(b.info()).state == state::cancelled);
    CHECK_THROWS_AS(t.run(b), errand::task_failed);
}

TEST_CASE("a handler that waits is cancelled from outside") {
    bench t;
    const auto h = t.run(t.app().handler<nest>().perform_async(1));
    t.drain();
    CHECK(t.run(h.cancel()));
    t.drain();
    CHECK(t.run(h.info()).state == state::cancelled);
    CHECK(t.advance(1h) == 1);
    CHECK(t.lines.lines.empty());
}

TEST_CASE("a finished stage does not run again, and tries of a stage follow its backoff in the clock") {
    bench t;
    const auto begin = t.now();
    const auto h = t.run(t.app().handler<two_stages>().perform_async());
    t.drain();
    CHECK(t.run(h.info()).stages.size() == 1);
    CHECK(t.run(h) == 42);
    CHECK(t.lines.lines == lines{"first", "second", "second", "second"});
    CHECK(t.now() >= begin + 2h);
}

TEST_CASE("submissions under a transaction are held back until it has ended") {
    bench t;
    const auto handler = t.app().handler<write_line>();
    t.run(errand::transaction(t.app(), [&]() -> errand::awaitable<void> {
        co_await handler.perform_async("a");
        const auto queues = co_await t.app().inspect().queues();
        CHECK(queues.empty());
    }));
    t.expect_submitted<write_line>("a");
    const auto fails = [&]() -> errand::awaitable<void> {
        co_await handler.perform_async("b");
        throw std::runtime_error{"rolled back"};
    };
    CHECK_THROWS_AS(t.run(errand::transaction(t.app(), fails)), std::runtime_error);
    CHECK_THROWS_AS(t.expect_submitted<write_line>("b"), errand::testing::expectation_failed);
}

TEST_CASE("arguments that JSON cannot hold are refused when they are submitted") {
    bench t;
    CHECK_THROWS_AS(t.run(t.app().handler<write_line>().perform_async("\xff")), errand::bad_data);
    CHECK(t.pending<write_line>().empty());
}

TEST_CASE("arguments that do not fit the handler kill the task, with the path to them") {
    bench t;
    const auto h = t.run(t.app().perform("send_receipt", {boost::json::object{{"cents", "9x"}}}));
    CHECK(t.drain() == 1);
    const auto info = t.run(h.info());
    CHECK(info.state == state::dead);
    CHECK_THAT(info.errors.back().message, ContainsSubstring("args[0].cents: expected an integer"));
}

TEST_CASE("wrappers are around every submission and every attempt") {
    bench t;
    t.app().around_submit([](errand::submission& what, errand::next_step next) -> errand::awaitable<void> {
        what.options.headers["tenant"] = "t-1";
        co_await next();
    });
    lines seen;
    t.app().around_perform([&](errand::task_context& task,
                               errand::next_step next) -> errand::awaitable<void> {
        seen.push_back("before " + task.headers().at("tenant"));
        co_await next();
        seen.push_back("after");
    });
    t.run(t.app().handler<write_line>().perform_async("a"));
    t.drain();
    CHECK(seen == lines{"before t-1", "after"});
}

TEST_CASE("many handlers may wait for each other in one thread") {
    bench t;
    const auto handler = t.app().handler<nest>();
    const auto all = t.run(handler.perform_bulk(std::vector<int>(20, 2)));
    for (const int levels : t.run(errand::all(all))) CHECK(levels == 2);
    CHECK(t.finished<nest>().size() == 60);
}

TEST_CASE("the same test runs the same way each time") {
    const auto story = [] {
        bench t;
        t.run(t.app().handler<nest>().perform_bulk(std::vector<int>{3, 1, 2}));
        t.run(t.app().handler<refuse>().with({.max_retry = 4}).perform_async());
        t.advance(24h);
        lines all = t.lines.lines;
        for (const auto& one : t.finished<nest>()) all.push_back(one.id);
        return all;
    };
    CHECK(story() == story());
}

TEST_CASE("a harness runs the tasks of one namespace and refuses to serve several") {
    errand::testing::harness_options how;
    how.settings.name_spaces = {{"shop", 3}, {"mail", 1}};
    CHECK_THROWS_WITH(errand::testing::harness{how}, ContainsSubstring("cannot have name_spaces"));
}
