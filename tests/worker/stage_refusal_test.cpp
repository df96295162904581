// Stages that cannot be, and stages beside and inside each other.
#include "worker/stage_bench.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <limits>

using namespace std::chrono_literals;
using namespace stage_test;
using namespace boost::asio::experimental::awaitable_operators;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("names and options of stages that cannot be are refused, naming the stage") {
    bench t;
    t.start();
    const auto with = [&](std::string name, errand::stage_options how) {
        return failure_of(t, [&t, name, how](task_context& self) {
            return self.stage(name, how, [&] { return counted(t.book, "run", 1); });
        });
    };
    CHECK_THAT(with("", {}), ContainsSubstring("usage_error: stage \"\"") && ContainsSubstring("empty"));
    CHECK_THAT(with(std::string(256, 'x'), {}), ContainsSubstring("256 bytes") && ContainsSubstring("255"));
    errand::stage_options how;
    how.max_retry = -1;
    CHECK_THAT(with("s", how), ContainsSubstring("stage \"s\": .max_retry = -1"));
    how = {};
    how.timeout = -1ms;
    CHECK_THAT(with("s", how), ContainsSubstring("stage \"s\": .timeout = -1ms"));
    CHECK(t.book.count("run") == 0);
    CHECK(t.wait([&] {
        t.book.body = [&](task_context& self) {
            return self.stage(std::string(255, 'x'), [&] { return counted(t.book, "run", 1); });
        };
        return submit(t);
    }()) == 1);
}

TEST_CASE("two stages of one name in one attempt are a usage_error that names it") {
    bench t;
    t.start();
    const auto text = failure_of(t, [&](task_context& self) -> awaitable<int> {
        co_await self.stage("twin", [&] { return counted(t.book, "run", 1); });
        co_return co_await self.stage("twin", [&] { return counted(t.book, "run", 2); });
    });
    CHECK_THAT(text, ContainsSubstring("usage_error: stage \"twin\" was called twice"));
    CHECK(t.book.count("run") == 1);
}

TEST_CASE("a stage under an open transaction is refused, a transaction inside a stage is not") {
    bench t;
    t.start();
    const auto text = failure_of(t, [&](task_context& self) -> awaitable<int> {
        co_return co_await errand::transaction(t.app, [&]() -> awaitable<int> {
            co_return co_await self.stage("inside", [&] { return counted(t.book, "run", 1); });
        });
    });
    CHECK_THAT(text, ContainsSubstring("usage_error: stage \"inside\"") && ContainsSubstring("transaction"));
    CHECK(t.book.count("run") == 0);
}

TEST_CASE("a result of a stage that cannot be kept fails its attempt and is not tried again") {
    auto settings = errand::test::fresh_settings();
    settings.max_payload = 4096;
    bench t{settings};
    t.start();
    errand::stage_options how;
    how.max_retry = 3;
    how.backoff = errand::backoff::uniform(0ms);
    const auto large = failure_of(t, [&, how](task_context& self) -> awaitable<int> {
        co_await self.stage("large", how,
                            []() -> awaitable<std::string> { co_return std::string(5000, 'x'); });
        co_return 0;
    });
    CHECK_THAT(large, ContainsSubstring("bad_data: stage \"large\": result: 5002 bytes") &&
                          ContainsSubstring("max_payload = 4096"));
    const auto nan = failure_of(t, [&, how](task_context& self) -> awaitable<int> {
        co_await self.stage("nan", how, [&]() -> awaitable<double> {
            t.book.note("nan");
            co_return std::numeric_limits<double>::quiet_NaN();
        });
        co_return 0;
    });
    CHECK_THAT(nan, ContainsSubstring("bad_data: stage \"nan\": result"));
    CHECK(t.book.count("nan") == 1);
    const auto all = failure_of(t, [&](task_context& self) -> awaitable<int> {
        for (int i = 0; i < 20; ++i) {
            co_await self.stage("part " + std::to_string(i),
                                []() -> awaitable<std::string> { co_return std::string(4000, 'x'); });
        }
        co_return 0;
    });
    CHECK_THAT(all, ContainsSubstring("stage \"part 8\"") && ContainsSubstring("8 * max_payload"));
}

TEMPLATE_TEST_CASE("parallel branches run different stages at once, and what is stored is read once",
                   "[concurrent]", free_form, free_form_on_pool) {
    bench t;
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    t.book.body = [&](task_context& self) -> awaitable<int> {
        const auto branch = [&](std::string name, int value) {
            return self.stage(name, [&, name, value]() -> awaitable<int> {
                t.book.note(name);
                most = std::max(most.load(), ++inside);
                while (most < 2) co_await sleep(1ms);
                --inside;
                co_return value;
            });
        };
        auto [a, b] = co_await (branch("left", 1) && branch("right", 2));
        if (self.attempt() == 1) throw std::runtime_error{"again"};
        co_return a * 10 + b;
    };
    t.start();
    CHECK(t.wait(submit<TestType>(t)) == 12);
    CHECK(most == 2);
    CHECK(t.book.count("left") == 1);
    CHECK(t.book.count("right") == 1);
}

TEST_CASE("a stage inside a stage is skipped when the outer one is tried again") {
    bench t;
    errand::stage_options how;
    how.max_retry = 1;
    how.backoff = errand::backoff::uniform(0ms);
    t.book.body = [&, how](task_context& self) -> awaitable<int> {
        co_return co_await self.stage("outer", how, [&]() -> awaitable<int> {
            const int inner = co_await self.stage("inner", [&] { return counted(t.book, "inner", 4); });
            t.book.note("outer");
            if (t.book.count("outer") == 1) throw std::runtime_error{"once"};
            co_return inner;
        });
    };
    t.start();
    CHECK(t.wait(submit(t, {.max_retry = 0})) == 4);
    CHECK(t.book.count("inner") == 1);
    CHECK(t.book.count("outer") == 2);
}
