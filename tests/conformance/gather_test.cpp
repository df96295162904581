// errand::all and errand::any, awaited outside handlers.
#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "support/test_app.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <future>
#include <thread>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;
using errand::test::test_app;

namespace gather {

struct number {
    errand::awaitable<int> perform(int n) { co_return n; }
};

struct word {
    errand::awaitable<std::string> perform(std::string text) { co_return text; }
};

struct nothing {
    errand::awaitable<void> perform() { co_return; }
};

struct refuses {
    errand::awaitable<int> perform(std::string why) {
        throw errand::discard{why};
        co_return 0;
    }
};

// Runs until it is cancelled.
struct stays {
    errand::awaitable<int> perform() {
        boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 1h};
        co_await timer.async_wait(boost::asio::use_awaitable);
        co_return 0;
    }
};

}  // namespace gather

ERRAND_HANDLER(gather::number)
ERRAND_HANDLER(gather::word)
ERRAND_HANDLER(gather::nothing)
ERRAND_HANDLER(gather::refuses, .max_retry = 0)
ERRAND_HANDLER(gather::stays, .max_retry = 0)

namespace {

using namespace gather;

// A worker whose tasks do not outlive the test.
struct meeting : test_app {
    using test_app::test_app;
    ~meeting() { stop(); }

    template <class H, class... A>
    auto submit(A... args) {
        return run(app.handler<H>().perform_async(std::move(args)...));
    }
    std::vector<errand::handle<int>> stay(int count) {
        std::vector<errand::handle<int>> all;
        for (int i = 0; i < count; ++i) all.push_back(submit<stays>());
        return all;
    }
    void cancel(const std::vector<errand::handle<int>>& all) {
        for (const auto& one : all) run(one.cancel());
    }
};

// Who waits on the loop that serves callers of foreign executors.
std::size_t waiting_in_background(errand::app& app) {
    auto& there = errand::detail::core_of(app).background();
    std::promise<std::size_t> count;
    boost::asio::post(there.context(), [&] { count.set_value(there.results().waiting()); });
    return count.get_future().get();
}

// A wait on an executor that is none of errand's.
struct foreign_wait {
    template <class T>
    explicit foreign_wait(errand::awaitable<T> what) {
        auto done = [this](std::exception_ptr failure, auto&&...) {
            thrown = failure;
            ended = true;
        };
        boost::asio::co_spawn(io, std::move(what),
                              boost::asio::bind_cancellation_slot(signal.slot(), std::move(done)));
        io.poll();
    }
    // It still stands on the app's loop when a test fails in between.
    ~foreign_wait() {
        cancel();
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!ended && std::chrono::steady_clock::now() < end) {
            if (io.stopped()) io.restart();
            io.run_one_for(5ms);
        }
    }
    foreign_wait(const foreign_wait&) = delete;
    foreign_wait& operator=(const foreign_wait&) = delete;

    void cancel() { signal.emit(boost::asio::cancellation_type::terminal); }
    std::exception_ptr outcome() {
        errand::test::eventually([&] {
            if (io.stopped()) io.restart();
            io.poll();
            return ended;
        });
        return thrown;
    }

    // What stands in the context refers to the others.
    boost::asio::cancellation_signal signal;
    bool ended = false;
    std::exception_ptr thrown;
    boost::asio::io_context io{1};
};

}  // namespace

TEST_CASE("all gives the results of tasks of several types in the order of the handles", "[gather]") {
    meeting t;
    t.start();
    const auto n = t.submit<number>(7);
    const auto w = t.submit<word>(std::string{"seven"});
    const auto v = t.submit<nothing>();
    const auto [seven, none, text] = t.run(errand::all(n, v, w));
    static_assert(std::is_same_v<decltype(none), const std::monostate>);
    CHECK(seven == 7);
    CHECK(text == "seven");
    CHECK(t.run(errand::all(n)) == std::tuple{7});
}

TEST_CASE("all of a vector gives a vector, of an empty one at once", "[gather]") {
    meeting t;
    t.start();
    std::vector<errand::handle<int>> numbers;
    for (int i = 0; i < 20; ++i) numbers.push_back(t.submit<number>(i));
    numbers.push_back(numbers.front());  // the same task twice
    const auto values = t.run(errand::all(numbers));
    REQUIRE(values.size() == 21);
    for (int i = 0; i < 20; ++i) CHECK(values[static_cast<std::size_t>(i)] == i);
    CHECK(values.back() == 0);
    const std::vector<errand::handle<void>> voids{t.submit<nothing>(), t.submit<nothing>()};
    CHECK(t.run(errand::all(voids)) == std::vector<std::monostate>(2));
    CHECK(t.run(errand::all(std::vector<errand::handle<int>>{})).empty());
}

TEST_CASE("all fails as soon as one task has failed, and the others go on", "[gather]") {
    meeting t;
    t.start();
    const auto lasting = t.stay(1);
    const auto bad = t.submit<refuses>(std::string{"no such customer"});
    CHECK_THROWS_WITH(t.run(errand::all(lasting[0], bad)), ContainsSubstring("no such customer"));
    CHECK_FALSE(errand::is_end(t.info(lasting[0]).state));
    t.cancel(lasting);
}

TEST_CASE("of a hundred tasks that are awaited together the one that failed is named", "[gather]") {
    meeting t;
    t.start();
    std::vector<errand::handle<int>> handles;
    for (int i = 0; i < 99; ++i) handles.push_back(t.submit<number>(i));
    const auto bad = t.submit<refuses>(std::string{"no such customer"});
    handles.insert(handles.begin() + 57, bad);
    try {
        t.run(errand::all(handles));
        FAIL("one of them has failed");
    } catch (const errand::task_failed& why) {
        CHECK(why.id() == bad.id());
        CHECK_THAT(why.handler(), ContainsSubstring("refuses"));
        CHECK_THAT(why.what(), ContainsSubstring(bad.id()) && ContainsSubstring("refuses"));
    }
}

TEST_CASE("all cancels the tasks that have not ended when one has failed, if asked to", "[gather]") {
    meeting t;
    t.start();
    auto handles = t.stay(3);
    handles.push_back(t.submit<refuses>(std::string{"no"}));
    CHECK_THROWS_AS(t.run(errand::all({.cancel_rest = true}, handles)), errand::task_failed);
    for (int i = 0; i < 3; ++i) CHECK(t.info(handles[static_cast<std::size_t>(i)]).state == state::cancelled);
    CHECK(t.info(handles.back()).state == state::dead);
}

TEST_CASE("any gives the first task that succeeds and passes over those that fail", "[gather]") {
    meeting t;
    t.start();
    const auto bad = t.submit<refuses>(std::string{"no"});
    eventually([&] { return errand::is_end(t.info(bad).state); });
    const auto lasting = t.stay(1);
    const auto good = t.submit<word>(std::string{"first"});
    const auto [at, value] = t.run(errand::any(bad, lasting[0], good));
    CHECK(at == 2);
    REQUIRE(value.index() == 2);
    CHECK(std::get<2>(value) == "first");
    CHECK_FALSE(errand::is_end(t.info(lasting[0]).state));

    const auto none = t.submit<nothing>();
    const auto by_type = t.run(errand::any({.cancel_rest = true}, lasting[0], none));
    CHECK(by_type.first == 1);
    CHECK(by_type.second.index() == 1);
    CHECK(t.info(lasting[0]).state == state::cancelled);
}

TEST_CASE("any of a vector gives the place and the result of the first", "[gather]") {
    meeting t;
    t.start();
    auto handles = t.stay(2);
    handles.push_back(t.submit<number>(5));
    const std::pair<std::size_t, int> first = t.run(errand::any({.cancel_rest = true}, handles));
    CHECK(first.first == 2);
    CHECK(first.second == 5);
    for (int i = 0; i < 2; ++i) CHECK(t.info(handles[static_cast<std::size_t>(i)]).state == state::cancelled);
    CHECK(t.info(handles[2]).state == state::success);
    const std::vector<errand::handle<void>> voids{t.submit<nothing>()};
    CHECK(t.run(errand::any(voids)) == std::pair{std::size_t{0}, std::monostate{}});
}

TEST_CASE("any throws the error of the last task to end when none succeeds", "[gather]") {
    meeting t;
    t.start();
    const auto bad = t.submit<refuses>(std::string{"the first to end"});
    eventually([&] { return errand::is_end(t.info(bad).state); });
    const auto lasting = t.stay(1);
    foreign_wait wait{errand::any(lasting[0], bad)};
    eventually([&] { return waiting_in_background(t.app) == 1; });  // the failure has been heard of
    t.cancel(lasting);
    try {
        std::rethrow_exception(wait.outcome());
    } catch (const errand::task_failed& e) {
        CHECK(e.state() == state::cancelled);
        CHECK(e.id() == lasting[0].id());
        CHECK(e.handler() == t.info(lasting[0]).handler);
    }
}

TEST_CASE("all and any say how many tasks did not end in time, and cancel them if asked to", "[gather]") {
    meeting t;
    t.start();
    auto handles = t.stay(2);
    handles.push_back(t.submit<number>(1));
    t.wait(handles.back());
    CHECK_THROWS_WITH(t.run(errand::all({.within = 500ms}, handles)),
                      ContainsSubstring("2 of 3 tasks did not end within 500 ms"));
    handles.pop_back();
    CHECK_THROWS_AS(t.run(errand::any({.within = 1ms}, handles)), errand::timed_out);
    for (const auto& one : handles) CHECK_FALSE(errand::is_end(t.info(one).state));
    CHECK_THROWS_AS(t.run(errand::any({.within = 1ms, .cancel_rest = true}, handles)), errand::timed_out);
    for (const auto& one : handles) CHECK(t.info(one).state == state::cancelled);
}

TEST_CASE("all and any refuse what can never be awaited", "[gather]") {
    meeting t;
    meeting other;
    const auto mine = t.submit<number>(1);
    const auto its = other.submit<number>(1);
    CHECK_THROWS_AS(t.run(errand::any(std::vector<errand::handle<int>>{})), errand::usage_error);
    CHECK_THROWS_WITH(t.run(errand::all(mine, its)), ContainsSubstring("different apps"));
    auto in_transaction = [](errand::app& app, errand::handle<int> before) -> errand::awaitable<void> {
        const auto held = co_await app.handler<number>().perform_async(2);
        co_await errand::all(before, held);
    };
    CHECK_THROWS_WITH(t.run(errand::transaction(t.app, [&] { return in_transaction(t.app, mine); })),
                      ContainsSubstring("has not committed"));
}

TEST_CASE("five thousand tasks are awaited at once", "[gather][concurrent]") {
    auto settings = errand::test::fresh_settings();
    settings.threads = 2;
    meeting t{settings};
    std::vector<int> values;
    for (int i = 0; i < 5000; ++i) values.push_back(i);
    const auto handles = t.run(t.app.handler<number>().perform_bulk(values));
    foreign_wait early{errand::all(handles)};
    t.start();
    CHECK(t.run(errand::all(handles)) == values);
    CHECK(t.run(errand::all({.within = 20s}, handles)) == values);  // all of them have ended before
    CHECK_FALSE(early.outcome());
    CHECK(waiting_in_background(t.app) == 0);
}

TEST_CASE("a wait for many that is cancelled ends, leaves no waiter and the tasks as they are", "[gather]") {
    meeting t;
    std::vector<int> values(300, 1);
    const auto handles = t.run(t.app.handler<number>().perform_bulk(values));
    foreign_wait wait{errand::all({.within = 1h, .cancel_rest = true}, handles)};
    eventually([&] { return waiting_in_background(t.app) == handles.size(); });
    wait.cancel();
    CHECK_THROWS_AS(std::rethrow_exception(wait.outcome()), boost::system::system_error);
    CHECK(waiting_in_background(t.app) == 0);
    for (const std::size_t at : {0U, 150U, 299U}) CHECK(t.info(handles[at]).state == state::ready);
}

TEST_CASE("a wait for many that has failed or is over leaves no waiter", "[gather]") {
    meeting t;
    t.start();
    auto handles = t.stay(20);
    foreign_wait late{errand::any({.within = 1ms}, handles)};
    CHECK_THROWS_AS(std::rethrow_exception(late.outcome()), errand::timed_out);
    CHECK(waiting_in_background(t.app) == 0);
    handles.push_back(t.submit<refuses>(std::string{"no"}));
    foreign_wait failing{errand::all(handles)};
    CHECK_THROWS_AS(std::rethrow_exception(failing.outcome()), errand::task_failed);
    CHECK(waiting_in_background(t.app) == 0);
    handles.pop_back();
    t.cancel(handles);
}
