// Attempts that are started together, one after the other in one coroutine as long as none waits: none of them finds anything of another.
#include "worker/handlers.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <set>
#include <thread>

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
    // More than share one coroutine.
    const auto all = waiting_tasks(t, 250);
    t.start();
    for (const auto& one : all) {
        t.wait(one);
        CHECK(t.book.count(one.id()) == 1);
    }
    CHECK(t.book.count("another's") == 0);
}

TEST_CASE("what a handler does last may be in another thread, its end is seen to in the worker's",
          "[concurrent]") {
    std::mutex guard;
    std::set<std::thread::id> elsewhere, told_in;
    asio::thread_pool pool{1};
    std::atomic<int> begun = 0;
    bench t;
    t.app.on_event([&](const errand::event& what) {
        const std::lock_guard lock{guard};
        const auto kind = what.kind;
        if (kind == errand::event_kind::task_succeeded || kind == errand::event_kind::task_retrying)
            told_in.insert(std::this_thread::get_id());
    });
    t.book.body = [&](task_context&) -> awaitable<int> {
        const int place = begun++;
        co_await asio::post(asio::bind_executor(pool, asio::use_awaitable));
        {
            const std::lock_guard lock{guard};
            elsewhere.insert(std::this_thread::get_id());
        }
        if (place % 2 == 1) throw errand::retry_in{1ms};
        co_return place;
    };
    const auto all = waiting_tasks(t, 40);
    t.start();
    for (const auto& one : all) CHECK(t.wait(one) % 2 == 0);
    const std::lock_guard lock{guard};
    CHECK(elsewhere.size() == 1);
    CHECK(told_in.size() == 1);
    CHECK_FALSE(told_in.contains(*elsewhere.begin()));
}

TEST_CASE("what a handler leaves running without having waited stays under its task", "[concurrent]") {
    const bool in_transaction = GENERATE(false, true);
    bench t;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        auto left = [](diary& book, std::string mine) -> awaitable<void> {
            while (!book.release) co_await sleep(1ms);
            const auto seen = co_await id_here();
            book.note(seen == mine ? "its own" : "another's");
        };
        const auto leave = [&]() -> awaitable<void> {
            const auto own = co_await asio::this_coro::executor;
            asio::co_spawn(own, left(t.book, self.id()), asio::detached);
        };
        if (in_transaction) {
            co_await errand::transaction(t.app, leave);
        } else {
            co_await leave();
        }
        co_return 1;
    };
    const auto all = waiting_tasks(t, 20);
    t.start();
    for (const auto& one : all) CHECK(t.wait(one) == 1);
    t.book.release = true;
    eventually([&] { return t.book.count("its own") + t.book.count("another's") == 20; });
    CHECK(t.book.count("another's") == 0);
}

TEST_CASE("an executor that a handler has kept stays its task's", "[concurrent]") {
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
        if (self.id() == last.id()) {
            try {
                co_await sleep(std::chrono::hours{1});
            } catch (...) {
                t.book.note("told to stop");
            }
            // What is awaited after that throws by itself.
            co_await id_here();
        }
        co_await asio::this_coro::throw_if_cancelled(false);
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_return 1;
    };
    t.start();
    for (const auto& one : all) CHECK(t.wait(one) == 1);
    const auto info = end_of(t, last);
    CHECK(t.book.count("told to stop") == 1);
    CHECK(info.state == state::dead);
    CHECK(text_of(info) == "errand::timed_out: timed out after 30ms");
}

TEST_CASE("a task that stops another of those that started with it stops that one alone") {
    bench t;
    std::mutex guard;
    std::vector<std::string> waiting;
    std::atomic<int> begun = 0;
    t.book.body = [&](task_context& self) -> awaitable<int> {
        // Every second one ends in the coroutine that the next one then waits in.
        if (begun++ % 2 == 0) co_return 1;
        {
            const std::lock_guard lock{guard};
            waiting.push_back(self.id());
        }
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
    const auto stopped = [&] {
        const std::lock_guard lock{guard};
        return waiting.at(1);
    }();
    for (const auto& one : all) {
        if (one.id() == stopped) CHECK(t.run(one.cancel()));
    }
    eventually([&] { return t.book.count("stopped " + stopped) == 1; });
    t.book.release = true;
    for (const auto& one : all) {
        if (one.id() != stopped) CHECK(t.wait(one) == 1);
    }
    CHECK(t.book.kinds() == 1);
}
