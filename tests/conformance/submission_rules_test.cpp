// Options, duplicates, expiry, retention, wrappers: what a submission can ask for.
#include "support/store_kind.hpp"
#include "support/test_app.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <mutex>
#include <thread>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::test::fresh_settings;
using errand::test::test_app;
namespace asio = boost::asio;

namespace submission_rules {

using journal = errand::test::test_journal;

struct writes {
    journal& book;
    explicit writes(journal& j) : book{j} {}
    errand::awaitable<std::string> perform(std::string line) {
        book.add(line);
        co_return line;
    }
};

struct unique {
    errand::awaitable<int> perform(int n) { co_return n; }
    static std::string biz_id(int) { return "same"; }
};

struct briefly_unique {
    errand::awaitable<int> perform(int n) { co_return n; }
    static std::string biz_id(int) { return "same"; }
};

struct breaks {
    errand::awaitable<int> perform(int n) {
        if (n == 0) throw errand::discard{"zero"};
        co_return n;
    }
    static std::string biz_id(int) { return "same"; }
};

struct elsewhere {
    errand::awaitable<void> perform();
};

struct limited {
    errand::awaitable<void> perform() { co_return; }
};

}  // namespace submission_rules

ERRAND_HANDLER(submission_rules::writes, .max_retry = 1)
ERRAND_HANDLER(submission_rules::unique, .name = "unique.new", .aliases = {"unique.middle", "unique.old"})
ERRAND_HANDLER(submission_rules::briefly_unique, .unique_for = 1ms)
ERRAND_HANDLER(submission_rules::breaks)
ERRAND_DECLARE_HANDLER(submission_rules::elsewhere, .queue = "elsewhere")
ERRAND_HANDLER(submission_rules::limited)

namespace {
using namespace submission_rules;
}

TEST_CASE("Tasks of a queue run by priority, then in the order of submission", "[rules]") {
    auto settings = fresh_settings();
    settings.concurrency = 1;
    settings.shards = 1;  // each has an order of its own
    test_app t{settings};
    auto& book = t.journal;
    auto proxy = t.app.handler<writes>();
    std::vector<errand::handle<std::string>> all;
    for (const auto* line : {"c", "d"}) all.push_back(t.run(proxy.perform_async(line)));
    all.push_back(t.run(proxy.with({.priority = 3}).perform_async("b")));
    all.push_back(t.run(proxy.with({.priority = 9}).perform_async("a")));
    t.start();
    for (const auto& h : all) t.wait(h);
    CHECK(book.lines == std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("keep_first, reject and replace do what they say to a task that waits", "[rules]") {
    test_app t;
    auto proxy = t.app.handler<unique>();
    auto first = t.run(proxy.perform_async(1));
    auto kept = t.run(proxy.perform_async(2));
    CHECK(kept.duplicate());
    CHECK_THROWS_AS(t.run(proxy.with({.on_duplicate = errand::reject}).perform_async(3)),
                    errand::duplicate_task);
    auto replaced = t.run(proxy.with({.on_duplicate = errand::replace}).perform_async(4));
    CHECK(replaced.id() == first.id());
    t.start();
    CHECK(t.wait(first) == 4);
    CHECK(t.wait(replaced) == 4);
    CHECK_THROWS_AS(t.run(proxy.with({.on_duplicate = errand::replace}).perform_async(5)),
                    errand::duplicate_task);
    CHECK(t.wait(first) == 4);
}

TEST_CASE("replace moves the due time of a task that never started", "[rules]") {
    test_app t;
    auto replacing = t.app.handler<unique>().with({.on_duplicate = errand::replace});
    auto h = t.run(replacing.perform_async(1));
    t.run(replacing.perform_in(1h, 2));
    CHECK(t.info(h).state == errand::state::delayed);
    t.run(replacing.perform_async(3));
    t.start();
    CHECK(t.wait(h) == 3);
}

TEST_CASE("A biz_id is held under the oldest name of its handler", "[rules]") {
    test_app t;
    auto by_type = t.run(t.app.handler<unique>().perform_async(1));
    auto by_name = t.run(t.app.perform("unique.old", {boost::json::array{2}}, {.biz_id = "same"}));
    CHECK(by_name.duplicate());
    CHECK(by_name.id() == by_type.id());
}

TEST_CASE("A biz_id is free again when unique_for is over", "[rules]") {
    test_app t;
    t.start();
    auto first = t.run(t.app.handler<briefly_unique>().perform_async(1));
    CHECK(t.wait(first) == 1);
    const auto ended = *t.info(first).finished_at;
    errand::test::eventually([&] { return std::chrono::system_clock::now() > ended + 5ms; });
    auto second = t.run(t.app.handler<briefly_unique>().perform_async(2));
    CHECK_FALSE(second.duplicate());
    CHECK(t.wait(second) == 2);
    CHECK_THROWS_AS(t.wait(first), errand::result_gone);
    CHECK_THROWS_AS(t.info(first), errand::result_gone);
}

TEST_CASE("A task that ended dead does not hold its biz_id and starts anew", "[rules]") {
    test_app t;
    t.start();
    auto proxy = t.app.handler<breaks>();
    auto dead = t.run(proxy.perform_async(0));
    CHECK_THROWS_AS(t.wait(dead), errand::task_failed);
    auto again = t.run(proxy.perform_async(7));
    CHECK_FALSE(again.duplicate());
    CHECK(t.wait(again) == 7);
    CHECK(t.info(again).attempt == 1);
    CHECK(t.info(again).errors.empty());
}

TEST_CASE("A cancelled task does not hold its biz_id", "[rules]") {
    test_app t;
    auto proxy = t.app.handler<unique>();
    auto first = t.run(proxy.perform_async(1));
    CHECK(t.run(first.cancel()));
    auto second = t.run(proxy.perform_async(2));
    CHECK_FALSE(second.duplicate());
    t.start();
    CHECK(t.wait(second) == 2);
}

TEST_CASE("A task not started in time is expired and never runs", "[rules]") {
    test_app t;
    auto& book = t.journal;
    auto h = t.run(t.app.handler<writes>().with({.expires_after = 1ms}).perform_async("too late"));
    const auto submitted = *t.info(h).submitted_at;
    errand::test::eventually([&] { return std::chrono::system_clock::now() > submitted + 20ms; });
    t.start();
    try {
        t.wait(h);
        FAIL("no exception");
    } catch (const errand::task_failed& e) {
        CHECK(e.state() == errand::state::expired);
    }
    CHECK(t.info(h).state == errand::state::expired);
    CHECK(book.lines.empty());
}

TEST_CASE("A result is gone when its retention is over", "[rules]") {
    test_app t;
    t.start();
    auto kept = t.run(t.app.handler<writes>().perform_async("kept"));
    auto brief = t.run(t.app.handler<writes>().with({.retention = 1ms}).perform_async("brief"));
    t.wait(kept);
    errand::test::eventually([&] { return !t.run(t.app.find(brief.id())); });
    CHECK_THROWS_AS(t.info(brief), errand::result_gone);
    CHECK(t.info(kept).state == errand::state::success);
}

TEST_CASE("Wrappers go around every attempt and every submission in the order added", "[rules]") {
    test_app t;
    auto& book = t.journal;
    for (const auto* name : {"1", "2"}) {
        t.app.around_submit([&book, name](errand::submission& s, auto next) -> errand::awaitable<void> {
            book.add(std::string{"submit "} + name + " " + s.handler);
            s.options.headers["by"] += name;
            co_await next();
        });
        t.app.around_perform([&book, name](errand::task_context& c, auto next) -> errand::awaitable<void> {
            book.add(std::string{"before "} + name + " " + c.headers().at("by"));
            co_await next();
            book.add(std::string{"after "} + name);
        });
    }
    t.start();
    t.wait(t.run(t.app.handler<writes>().perform_async("work")));
    const std::string handler = "submission_rules::writes";
    CHECK(book.lines == std::vector<std::string>{"submit 1 " + handler, "submit 2 " + handler, "before 1 12",
                                                 "before 2 12", "work", "after 2", "after 1"});
}

TEST_CASE("What a wrapper throws is the submitter's exception, and what it swallows is not submitted",
          "[rules]") {
    test_app t;
    t.app.around_submit([](errand::submission& s, auto next) -> errand::awaitable<void> {
        if (s.args == "[1]") throw errand::bad_data{"audit says no"};
        if (s.args != "[2]") co_await next();
    });
    CHECK_THROWS_WITH(t.run(t.app.handler<unique>().perform_async(1)), ContainsSubstring("audit says no"));
    CHECK_THROWS_AS(t.run(t.app.handler<unique>().perform_async(2)), errand::usage_error);
    CHECK_FALSE(t.run(t.app.handler<unique>().perform_async(3)).duplicate());
}

TEST_CASE("A declared handler can be submitted without its code", "[rules]") {
    test_app t;
    // What is kept in memory no other program could run.
    if (!errand::test::can(errand::test::capability::shared_by_apps)) {
        CHECK_THROWS_AS(t.run(t.app.handler<submission_rules::elsewhere>().perform_async()),
                        errand::usage_error);
        return;
    }
    auto h = t.run(t.app.handler<submission_rules::elsewhere>().perform_async());
    CHECK(t.info(h).queue == "elsewhere");
    CHECK(t.info(h).state == errand::state::ready);
}

TEST_CASE("A coroutine on a foreign io_context submits, awaits and lets that context end",
          "[rules][concurrent]") {
    test_app t;
    t.start();
    asio::io_context foreign;
    auto value = asio::co_spawn(
        foreign,
        [](errand::app& app) -> errand::awaitable<int> {
            const auto here = std::this_thread::get_id();
            auto h = co_await app.handler<unique>().perform_async(11);
            CHECK(std::this_thread::get_id() == here);
            const int got = co_await h;
            CHECK(std::this_thread::get_id() == here);
            co_return got;
        }(t.app),
        asio::use_future);
    foreign.run();
    CHECK(value.get() == 11);
}

TEST_CASE("block_on runs on the calling thread, from several threads at once", "[rules][concurrent]") {
    test_app t;
    t.start();
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&t] {
            t.run([](errand::app& app, std::thread::id here) -> errand::awaitable<void> {
                for (int n = 0; n < 50; ++n) {
                    co_await co_await app.handler<limited>().perform_async();
                    if (std::this_thread::get_id() != here) throw errand::usage_error{"another thread"};
                }
            }(t.app, std::this_thread::get_id()));
        });
    }
}

TEST_CASE("block_on inside a coroutine that errand runs is refused", "[rules]") {
    test_app t;
    t.run([](errand::app& app) -> errand::awaitable<void> {
        CHECK_THROWS_AS(app.block_on(app.find("0198c5d2-0000-7000-8000-000000000000")), errand::usage_error);
        co_return;
    }(t.app));
}

TEST_CASE("this_task outside a task is refused", "[rules]") {
    test_app t;
    CHECK_THROWS_AS(t.run([]() -> errand::awaitable<void> { co_await errand::this_task(); }()),
                    errand::usage_error);
}
