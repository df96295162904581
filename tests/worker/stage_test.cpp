// Stages of a task: what a later attempt skips, what is tried again, what is refused.
#include "support/store_kind.hpp"
#include "worker/stage_bench.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace std::chrono_literals;
using namespace stage_test;
using namespace boost::asio::experimental::awaitable_operators;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;

namespace stage_test {

struct frame {
    int width = 0;
    std::vector<std::string> lines;
};

}  // namespace stage_test

TEMPLATE_TEST_CASE("a later attempt skips the stages that have finished and gets their results",
                   "[concurrent]", free_form, free_form_on_pool) {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        const int a = co_await self.stage("a", [&] { return counted(t.book, "a", 1); });
        const auto b = co_await self.stage("b", [&]() -> awaitable<frame> {
            t.book.note("b");
            co_return frame{a + 1, {"x", "y"}};
        });
        co_await self.stage("c", [&]() -> awaitable<void> {
            t.book.note("c");
            co_return;
        });
        if (self.attempt() < 3) throw std::runtime_error{"not yet"};
        co_return a * 100 + b.width * 10 + static_cast<int>(b.lines.size());
    };
    t.start();
    const auto h = submit<TestType>(t);
    CHECK(t.wait(h) == 122);
    for (const auto* name : {"a", "b", "c"}) CHECK(t.book.count(name) == 1);
    const auto info = t.info(h);
    CHECK(info.attempt == 3);
    REQUIRE(info.stages.size() == 3);
    CHECK(info.stages[0].name == "a");
    CHECK(info.stages[0].attempt == 1);
    CHECK(info.stages[0].result == 1);
    CHECK(info.stages[0].started_at >= *info.submitted_at - 1s);
    CHECK(info.stages[0].length < 10s);
    CHECK(info.stages[1].result.at("lines").at(1) == "y");
    CHECK(info.stages[2].result.is_null());
}

TEST_CASE("a stage that failed is run again by the next attempt, those before it are not") {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        co_await self.stage("first", [&] { return counted(t.book, "first", 0); });
        co_return co_await self.stage("second", [&]() -> awaitable<int> {
            t.book.note("second");
            if (self.attempt() == 1) throw std::runtime_error{"broken"};
            co_return 7;
        });
    };
    t.start();
    const auto h = submit(t);
    CHECK(t.wait(h) == 7);
    CHECK(t.book.count("first") == 1);
    CHECK(t.book.count("second") == 2);
    CHECK(t.info(h).stages.at(1).attempt == 2);
}

TEST_CASE("a stage with retries is tried again inside its attempt") {
    bench t;
    std::vector<int> asked;
    errand::stage_options how;
    how.max_retry = 2;
    how.backoff = [&asked](int n, const std::exception_ptr&) {
        asked.push_back(n);
        return errand::duration{1};
    };
    t.book.body = [&, how](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("flaky", how, [&]() -> awaitable<int> {
            t.book.note("try");
            if (t.book.count("try") < 3) throw std::runtime_error{"broken"};
            co_return self.attempt();
        });
    };
    t.start();
    const auto h = submit(t, {.max_retry = 0});
    CHECK(t.wait(h) == 1);
    CHECK(t.book.count("try") == 3);
    CHECK(asked == std::vector{0, 1});
    const auto info = t.info(h);
    REQUIRE(info.log.size() == 2);
    CHECK_THAT(info.log[0], ContainsSubstring("stage \"flaky\" failed, retry 1 of 2"));
}

TEST_CASE("a stage whose tries are used up fails with what the last one threw") {
    bench t;
    t.start();
    errand::stage_options how;
    how.max_retry = 1;
    how.backoff = errand::backoff::uniform(1ms);
    const auto text = failure_of(t, [&, how](task_context& self) {
        return self.stage("flaky", how, [&]() -> awaitable<int> {
            t.book.note("try");
            throw std::runtime_error{"broken " + std::to_string(t.book.count("try"))};
            co_return 0;
        });
    });
    CHECK(text == "std::runtime_error: broken 2");
}

TEST_CASE("a try of a stage that takes too long is cancelled, and that is a failure that names the stage") {
    bench t;
    t.start();
    errand::stage_options how;
    how.max_retry = 1;
    how.backoff = errand::backoff::uniform(1ms);
    how.timeout = 20ms;
    const auto text = failure_of(t, [&, how](task_context& self) {
        return self.stage("slow", how, [&]() -> awaitable<int> {
            t.book.note("try");
            co_await sleep(1h);
            co_return 0;
        });
    });
    CHECK(text == "errand::timed_out: stage \"slow\" timed out after 20ms");
    CHECK(t.book.count("try") == 2);
}

TEST_CASE("a stage that fails in time fails with its own error, whatever its timeout") {
    bench t;
    t.start();
    errand::stage_options how;
    how.timeout = 20s;
    const auto text = failure_of(t, [&, how](task_context& self) {
        return self.stage("fails", how, [&]() -> awaitable<int> {
            throw std::runtime_error{"its own"};
            co_return 0;
        });
    });
    CHECK(text == "std::runtime_error: its own");
}

TEST_CASE("what a handler decides about its task is not retried by a stage") {
    bench t;
    t.start();
    errand::stage_options how;
    how.max_retry = 5;
    how.backoff = errand::backoff::uniform(0ms);
    t.book.body = [&, how](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("decides", how, [&]() -> awaitable<int> {
            t.book.note("try");
            switch (t.book.count("try")) {
            case 1: throw errand::snooze{1ms};
            case 2: throw errand::retry_in{1ms, "later"};
            default: throw errand::discard{"enough"};
            }
            co_return 0;
        });
    };
    const auto info = end_of(t, submit(t));
    CHECK(text_of(info) == "errand::discard: enough");
    CHECK(t.book.count("try") == 3);
    CHECK(info.attempt == 2);
}

TEST_CASE("the cancellation of an attempt ends its stage without another try, what was stored stays") {
    auto settings = errand::test::fresh_settings();
    settings.shutdown_grace = 10ms;
    bench t{settings};
    errand::stage_options how;
    how.max_retry = 5;
    how.backoff = errand::backoff::uniform(0ms);
    const auto body_of = [how](diary& book, errand::duration length) {
        return [&book, how, length](task_context& self) -> awaitable<int> {
            co_await self.stage("done", [&] { return counted(book, "done", 0); });
            co_return co_await self.stage("long", how, [&]() -> awaitable<int> {
                book.note("long");
                co_await sleep(length);
                co_return 3;
            });
        };
    };
    t.book.body = body_of(t.book, 1h);
    t.start();
    const auto h = submit(t);
    eventually([&] { return t.book.count("long") == 1; });
    t.stop();
    CHECK(t.book.count("long") == 1);
    const auto info = t.info(h);
    CHECK(info.state == state::ready);
    CHECK(info.stages.size() == 1);
    // Another app takes it up; where none can, this one does.
    std::optional<bench> another;
    if (errand::test::can(errand::test::capability::shared_by_apps)) another.emplace(settings);
    auto& other = another ? *another : t;
    const int done = other.book.count("done"), begun = other.book.count("long");
    other.book.body = body_of(other.book, 0ms);
    other.start();
    CHECK(t.wait(h) == 3);
    CHECK(other.book.count("done") == done);
    CHECK(other.book.count("long") == begun + 1);
}

TEST_CASE("a stage that ends well although its attempt was told to stop is stored all the same") {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("stubborn", [&]() -> awaitable<int> {
            t.book.note("run");
            co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
            while (!self.cancelled()) co_await sleep(1ms);
            co_return 5;
        });
    };
    t.start();
    const auto h = submit(t, {.timeout = 20ms});
    CHECK(t.wait(h) == 5);
    CHECK(t.book.count("run") == 1);
}

TEST_CASE("a stored result that no longer fits is an error that names stage and path") {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        if (self.attempt() == 1) {
            co_await self.stage("decode", []() -> awaitable<std::map<std::string, std::string>> {
                co_return std::map<std::string, std::string>{{"width", "wide"}};
            });
            throw std::runtime_error{"next program"};
        }
        co_return (co_await self.stage("decode", []() -> awaitable<frame> { co_return frame{}; })).width;
    };
    t.start();
    const auto info = end_of(t, submit(t, {.max_retry = 1}));
    CHECK(text_of(info) ==
          "errand::bad_data: stage \"decode\": result.width: expected an integer, got string \"wide\"");
}

TEST_CASE("a stored stage that the program does not call any more is ignored") {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        if (self.attempt() == 1) {
            co_await self.stage("old", [&] { return counted(t.book, "old", 1); });
            throw std::runtime_error{"next program"};
        }
        co_return co_await self.stage("new", [&] { return counted(t.book, "new", 2); });
    };
    t.start();
    const auto h = submit(t);
    CHECK(t.wait(h) == 2);
    CHECK(t.info(h).stages.size() == 2);
}
