#include "testing/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <iterator>
#include <set>

using namespace harness_test;
using Catch::Matchers::ContainsSubstring;
using lines = std::vector<std::string>;

TEST_CASE("a task runs when the harness is told so, and not when it is submitted") {
    bench t;
    const auto h = t.run(t.app().handler<send_receipt>().perform_async(order{"o-1", 990, {}}));
    CHECK(t.lines.lines.empty());
    CHECK(t.run(h.info()).state == state::ready);
    CHECK(t.drain() == 1);
    CHECK(t.run(h.info()).state == state::success);
    CHECK(t.run(h).url == "https://shop.example/o-1");
    CHECK(t.drain() == 0);
}

TEST_CASE("awaiting a result runs the task that it is of") {
    bench t;
    const auto h = t.run(t.app().handler<write_line>().perform_async("a"));
    CHECK(t.run(h) == "a");
    CHECK(t.lines.lines == lines{"a"});
    CHECK(t.run([&]() -> errand::awaitable<std::string> {
        co_return co_await co_await t.app().handler<write_line>().perform_async("b");
    }) == "b");
}

TEST_CASE("every task runs in the thread that called the harness, blocking ones too") {
    bench t;
    t.run(t.app().handler<write_line>().perform_async("a"));
    t.run(t.app().handler<write_aside>().perform_async("b"));
    CHECK(t.drain() == 2);
    const std::set<std::thread::id> seen{t.lines.threads.begin(), t.lines.threads.end()};
    CHECK(seen == std::set{std::this_thread::get_id()});
}

TEST_CASE("tasks run in the order of their submission, over all queues, after those of higher priority") {
    bench t;
    const auto here = t.app().handler<write_line>();
    const auto there = t.app().handler<write_aside>();
    t.run(here.perform_async("1"));
    t.run(there.perform_async("2"));
    t.run(here.perform_async("3"));
    t.run(there.with({.priority = 9}).perform_async("0"));
    t.run(here.with({.queue = "named by nobody"}).perform_async("4"));
    CHECK(t.drain() == 5);
    CHECK(t.lines.lines == lines{"0", "1", "2", "3", "4"});
}

TEST_CASE("run_one runs one task") {
    bench t;
    t.run(t.app().handler<write_line>().perform_bulk(std::vector<std::string>{"a", "b"}));
    CHECK(t.run_one());
    CHECK(t.lines.lines == lines{"a"});
    CHECK(t.run_one());
    CHECK_FALSE(t.run_one());
    CHECK(t.lines.lines == lines{"a", "b"});
}

TEST_CASE("a handler that waits for other tasks lets them run, and the clock move to them") {
    bench t;
    const auto begin = t.now();
    const auto h = t.run(t.app().handler<nest>().perform_async(3));
    CHECK(t.run(h) == 3);
    CHECK(t.lines.lines == lines{"level 1", "level 2", "level 3"});
    CHECK(t.now() == begin + 3h);
}

TEST_CASE("drain leaves a handler waiting, and moving the clock brings it to its end") {
    bench t;
    const auto h = t.run(t.app().handler<nest>().perform_async(1));
    CHECK(t.drain() == 1);
    CHECK(t.run(h.info()).state == state::working);
    CHECK(t.advance(59min) == 0);
    CHECK(t.advance(1min) == 1);
    CHECK(t.run(h.info()).state == state::success);
}

TEST_CASE("what an awaitable throws comes out as it is") {
    harness t;
    struct mine {
        int number;
    };
    const auto fails = []() -> errand::awaitable<int> {
        throw mine{42};
        co_return 0;
    };
    try {
        t.run(fails);
        FAIL("nothing was thrown");
    } catch (const mine& e) {
        CHECK(e.number == 42);
    }
}

TEST_CASE("a wait that can never end is a usage_error that names what it waits for") {
    bench t;
    const auto lines = t.app().handler<write_line>();
    const auto h = t.run(lines.with({.after = {lines.ref("never")}}).perform_async("a"));
    CHECK_THROWS_AS(t.run(h), errand::usage_error);
    CHECK_THROWS_WITH(t.run(h),
                      ContainsSubstring(h.id()) && ContainsSubstring("write_line") &&
                          ContainsSubstring("waits for 1 task(s) " + std::string{lines.ref("never").id()}));
    // The harness goes on as before.
    t.run(lines.with({.biz_id = "never"}).perform_async("b"));
    CHECK(t.run(h) == "a");
}

TEST_CASE("a wait for a task of a paused queue is a usage_error that names the queue") {
    bench t;
    const auto h = t.run(t.app().handler<write_line>().perform_async("a"));
    t.run(t.app().inspect().pause("default"));
    CHECK_THROWS_WITH(t.run(h), ContainsSubstring("its queue \"default\" is paused"));
    t.run(t.app().inspect().resume("default"));
    CHECK(t.run(h) == "a");
}

TEST_CASE("a wait for a task whose handler nobody has is a usage_error that names it") {
    harness t;
    const auto h = t.run(t.app().perform("nobody.has", {1}));
    CHECK_THROWS_WITH(t.run(h),
                      ContainsSubstring("nobody.has") && ContainsSubstring("no handler of its name"));
}

TEST_CASE("a handler that misses a bean is named as soon as it is to run, and runs when the bean is there") {
    harness t;
    const auto h = t.run(t.app().handler<needs_bean>().perform_async());
    CHECK_THROWS_WITH(t.drain(), ContainsSubstring("needs_bean") && ContainsSubstring("absent_bean"));
    CHECK_THROWS_AS(t.run(h), errand::usage_error);
    t.app().provide<absent_bean>();
    CHECK(t.drain() == 1);
}

TEST_CASE("the app's own worker cannot be started beside the harness") {
    harness t;
    CHECK_THROWS_AS(t.run(t.app().start()), errand::usage_error);
}

TEST_CASE("a harness cannot be used inside what it runs") {
    bench t;
    const auto inside = [&]() -> errand::awaitable<std::size_t> { co_return t.drain(); };
    CHECK_THROWS_AS(t.run(inside), errand::usage_error);
}

TEST_CASE("two harnesses at once are apart") {
    bench one;
    bench other{errand::testing::harness_options{.begin = errand::time_point{}}};
    one.run(one.app().handler<write_line>().perform_async("of one"));
    other.run(other.app().handler<write_line>().perform_in(1h, "of the other"));
    CHECK(other.drain() == 0);
    CHECK(one.drain() == 1);
    CHECK(one.advance(2h) == 0);
    CHECK(other.pending<write_line>().size() == 1);
    CHECK(other.now() == errand::time_point{});
    CHECK(other.advance(1h) == 1);
    CHECK(one.lines.lines == lines{"of one"});
    CHECK(other.lines.lines == lines{"of the other"});
}

TEST_CASE("a harness has no thread, and leaves no open file") {
    const auto count = [](const char* folder) {
        return std::distance(std::filesystem::directory_iterator{folder},
                             std::filesystem::directory_iterator{});
    };
    const auto threads = count("/proc/self/task");
    const auto files = count("/proc/self/fd");
    {
        bench t;
        t.run(t.app().handler<write_line>().perform_async("a"));
        t.run(t.app().handler<write_aside>().perform_async("b"));
        CHECK(t.drain() == 2);
        CHECK(count("/proc/self/task") == threads);
    }
    CHECK(count("/proc/self/fd") == files);
}

TEST_CASE("a harness may end while handlers wait and tasks are left") {
    bench t;
    t.run(t.app().handler<nest>().perform_async(5));
    t.drain();
    t.run(t.app().handler<write_line>().perform_in(1h, "left"));
    CHECK(t.pending<nest>().size() == 2);
}
