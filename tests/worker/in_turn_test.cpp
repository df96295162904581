// Attempts that are started together, one after the other in one coroutine as long as none waits: none of them finds anything of another.
#include "worker/handlers.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch_test_macros.hpp>

namespace asio = boost::asio;
using namespace worker_test;
using errand::awaitable;
using errand::state;
using errand::task_context;
using errand::test::eventually;

namespace {

// Submitted before anybody works, so that they are claimed together.
std::vector<errand::handle<int>> waiting_tasks(bench& t, int count) {
    std::vector<errand::handle<int>> all;
    for (int i = 0; i < count; ++i) all.push_back(submit(t, {.timeout = std::chrono::hours{1}}));
    return all;
}

// Under which task it is, by the executor.
awaitable<std::string> id_here() {
    auto& self = co_await errand::this_task();
    co_return self.id();
}

}  // namespace

TEST_CASE("each of many tasks that start together is itself, whether it waits or not") {
    bench t;
    std::atomic<int> begun = 0;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        const int place = begun++;
        if (place % 3 == 1) co_await sleep(1ms);
        if (place % 5 == 2) throw errand::retry_in{1ms};
        const auto seen = co_await id_here();
        t.book.note(seen == self.id() ? seen : "another's");
        co_return self.attempt();
    };
    const auto all = waiting_tasks(t, 40);
    t.start();
    for (const auto& one : all) {
        t.wait(one);
        CHECK(t.book.count(one.id()) == 1);
    }
    CHECK(t.book.count("another's") == 0);
}

TEST_CASE("what a handler leaves running without having waited stays under its task") {
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        auto left = [](diary& book, std::string mine) -> awaitable<void> {
            while (!book.release) co_await sleep(1ms);
            const auto seen = co_await id_here();
            book.note(seen == mine ? "its own" : "another's");
        };
        asio::co_spawn(co_await asio::this_coro::executor, left(t.book, self.id()), asio::detached);
        co_return 1;
    };
    const auto all = waiting_tasks(t, 20);
    t.start();
    for (const auto& one : all) CHECK(t.wait(one) == 1);
    t.book.release = true;
    eventually([&] { return t.book.count("its own") + t.book.count("another's") == 20; });
    CHECK(t.book.count("another's") == 0);
}

TEST_CASE("an executor that a handler has kept stays its task's") {
    bench t;
    std::mutex guard;
    std::map<std::string, asio::any_io_executor> kept;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        const auto own = co_await asio::this_coro::executor;
        const std::lock_guard lock{guard};
        kept.emplace(self.id(), own);
        co_return 1;
    };
    const auto all = waiting_tasks(t, 20);
    t.start();
    for (const auto& one : all) CHECK(t.wait(one) == 1);
    const std::lock_guard lock{guard};
    for (const auto& one : all) {
        auto later = asio::co_spawn(kept.at(one.id()), id_here(), asio::use_future);
        CHECK(later.get() == one.id());
    }
}

TEST_CASE("how a handler takes its cancellation is no matter of the next one's") {
    bench t;
    const auto all = waiting_tasks(t, 5);
    const auto last = submit(t, {.timeout = 30ms, .max_retry = 0});
    t.book.body = [&](task_context& self) -> awaitable<int> {
        if (self.id() == last.id()) co_await sleep(std::chrono::hours{1});
        co_await asio::this_coro::throw_if_cancelled(false);
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_return 1;
    };
    t.start();
    for (const auto& one : all) CHECK(t.wait(one) == 1);
    const auto info = end_of(t, last);
    CHECK(info.state == state::dead);
    CHECK(text_of(info) == "errand::timed_out: timed out after 30ms");
}

TEST_CASE("a task that stops another of those that started with it stops that one alone") {
    bench t;
    std::atomic<int> begun = 0;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        ++begun;
        try {
            while (!t.book.release) co_await sleep(1ms);
        } catch (...) {
            t.book.note(self.cancelled() ? "stopped " + self.id() : "stopped for nothing");
            throw;
        }
        co_return 1;
    };
    const auto all = waiting_tasks(t, 8);
    t.start();
    eventually([&] { return begun == 8; });
    CHECK(t.run(all[3].cancel()));
    eventually([&] { return t.book.count("stopped " + all[3].id()) == 1; });
    t.book.release = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i != 3) CHECK(t.wait(all[i]) == 1);
    }
    CHECK(t.book.kinds() == 1);
}
