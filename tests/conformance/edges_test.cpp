// Where sizes, lives and moments meet their limits.
#include "support/test_app.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace std::chrono_literals;
using errand::test::test_app;

namespace edges {

struct repeats {
    errand::awaitable<std::string> perform(std::string text) { co_return text; }
};

struct named {
    errand::awaitable<int> perform(int n) {
        if (n < 0) {
            boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        co_return n;
    }
    static std::string biz_id(int) { return "one"; }
};

// Awaits a task first: what that leaves behind must not protect it from its timeout.
struct waits_after_waiting {
    errand::proxy<named> other;
    explicit waits_after_waiting(errand::proxy<named> p) : other{p} {}
    errand::awaitable<void> perform() {
        co_await co_await other.with({.biz_id = "quick"}).perform_async(1);
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
};

}  // namespace edges

ERRAND_HANDLER(edges::repeats)
ERRAND_HANDLER(edges::named)
ERRAND_HANDLER(edges::waits_after_waiting, .timeout = 100ms, .max_retry = 0)

namespace {
using namespace edges;
}

TEST_CASE("Many tasks with large arguments and results are all run and awaited", "[edges]") {
    test_app t;
    const std::vector<std::string> texts(40, std::string(1'000'000, 'x'));
    auto handles = t.run(t.app.handler<repeats>().perform_bulk(texts));
    auto waiter = [](errand::app&, auto all) -> errand::awaitable<std::size_t> {
        std::size_t bytes = 0;
        for (const auto& h : all) {
            const std::string text = co_await h.result(20s);
            bytes += text.size();
        }
        co_return bytes;
    };
    t.start();
    CHECK(t.run(waiter(t.app, handles)) == 40'000'000);
}

TEST_CASE("Hundreds of callers at once are each answered with their own task", "[edges]") {
    constexpr int callers = 450, rounds = 3;
    test_app t;
    int done = 0;
    std::set<std::string> ids;
    std::exception_ptr failure;
    // One of many: a biz_id of its own, and one that another caller of the round has as well.
    auto caller = [&](int number) -> errand::awaitable<void> {
        for (int round = 0; round < rounds; ++round) {
            const auto own = std::to_string(round) + " own " + std::to_string(number);
            const auto shared = std::to_string(round) + " of two " + std::to_string(number / 2);
            const auto first = co_await t.app.handler<repeats>().with({.biz_id = own}).perform_async(own);
            const auto second =
                co_await t.app.handler<repeats>().with({.biz_id = shared}).perform_async(shared);
            if ((co_await first.info()).biz_id != own || (co_await second.info()).biz_id != shared)
                throw std::runtime_error{own + " was answered with another task"};
            ids.insert(first.id());
            ids.insert(second.id());
        }
    };
    auto all = [&]() -> errand::awaitable<void> {
        const auto here = co_await boost::asio::this_coro::executor;
        boost::asio::steady_timer ended{here, boost::asio::steady_timer::time_point::max()};
        for (int number = 0; number < callers; ++number) {
            boost::asio::co_spawn(here, caller(number), [&](std::exception_ptr thrown) {
                if (thrown) failure = thrown;
                if (++done == callers) ended.cancel();
            });
        }
        if (done == callers) co_return;
        try {
            co_await ended.async_wait(boost::asio::use_awaitable);
        } catch (const boost::system::system_error&) {
        }
    };
    t.run(all());
    if (failure) std::rethrow_exception(failure);
    CHECK(ids.size() == rounds * (callers + (callers + 1) / 2));
}

TEST_CASE("A handle of an earlier life is told so while the later one still waits", "[edges]") {
    test_app t;
    auto first = t.run(t.app.handler<named>().perform_async(1));
    CHECK(t.run(first.cancel()));
    auto second = t.run(t.app.handler<named>().perform_in(1h, 2));
    CHECK_THROWS_AS(t.wait(first), errand::result_gone);
    CHECK(t.info(second).state == errand::state::delayed);
}

TEST_CASE("Awaiting a result that is no longer kept says so", "[edges]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<repeats>().with({.retention = 0ms}).perform_async("gone"));
    errand::test::eventually([&] { return !t.run(t.app.find(h.id())); });
    CHECK_THROWS_AS(t.wait(h), errand::result_gone);
}

TEST_CASE("A cancelled task is kept as long as its retention says", "[edges]") {
    test_app t;
    auto h = t.run(t.app.handler<repeats>().with({.retention = 1ms}).perform_async("brief"));
    CHECK(t.run(h.cancel()));
    errand::test::eventually([&] { return !t.run(t.app.find(h.id())); });
}

TEST_CASE("A handler that has awaited a task still ends at its timeout", "[edges]") {
    test_app t;
    t.start();
    auto h = t.run(t.app.handler<waits_after_waiting>().perform_async());
    CHECK_THROWS_AS(t.wait(h), errand::task_failed);
}

TEST_CASE("A second start while the first runs is refused", "[edges]") {
    test_app t;
    t.start();
    CHECK_THROWS_AS(t.start(), errand::usage_error);
    t.stop();
    t.start();
    CHECK(t.wait(t.run(t.app.handler<named>().perform_async(3))) == 3);
}

TEST_CASE("A wire name must be a name", "[edges]") {
    test_app t;
    CHECK_THROWS_AS(t.run(t.app.perform(std::string(20'000, 'n'), {})), errand::usage_error);
    CHECK_THROWS_AS(t.run(t.app.perform("two\nlines", {})), errand::usage_error);
}
