// The handlers that the worker's tests run, and the bean in which they write down what happened to them.
#pragma once

#include <errand/errand.hpp>

#include "support/sleep.hpp"
#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace worker_test {

using namespace std::chrono_literals;

struct diary {
    std::atomic<int> started{0};
    std::atomic<int> ended{0};
    std::atomic<int> stopped{0};
    std::atomic<bool> release{false};

    void note(const std::string& what) {
        std::lock_guard lock{guard};
        ++times[what];
    }
    int count(const std::string& what) {
        std::lock_guard lock{guard};
        return times[what];
    }
    std::size_t kinds() {
        std::lock_guard lock{guard};
        return times.size();
    }

    std::mutex guard;
    std::map<std::string, int> times;
    // What free_form does, set before its task is submitted.
    std::function<errand::awaitable<int>(errand::task_context&)> body;
};

using errand::test::sleep;

struct echo {
    diary& book;
    explicit echo(diary& j) : book{j} {}
    errand::awaitable<int> perform(int value) {
        book.note(std::to_string(value));
        co_return value;
    }
};

// Waits until it is told to stop, or for so long.
struct lingers {
    diary& book;
    explicit lingers(diary& j) : book{j} {}
    errand::awaitable<int> perform(errand::duration length) {
        auto& self = co_await errand::this_task();
        ++book.started;
        try {
            co_await sleep(length);
        } catch (...) {
            if (self.cancelled()) ++book.stopped;
            throw;
        }
        ++book.ended;
        co_return self.attempt();
    }
};

// Goes on until the test releases it, whatever it is told.
struct stubborn {
    diary& book;
    explicit stubborn(diary& j) : book{j} {}
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        ++book.started;
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
        while (!book.release) co_await sleep(1ms);
        if (self.cancelled()) ++book.stopped;
        co_return self.attempt();
    }
};

struct own_bad_data {
    errand::awaitable<int> perform() {
        auto& self = co_await errand::this_task();
        if (self.attempt() == 1) throw errand::bad_data{"args[0]: the other side sent nonsense"};
        co_return self.attempt();
    }
};

struct unkeepable {
    errand::awaitable<double> perform() { co_return std::numeric_limits<double>::quiet_NaN(); }
};

struct long_winded {
    errand::awaitable<std::string> perform() { co_return std::string(5000, 'x'); }
};

struct throws_a_number {
    errand::awaitable<void> perform() {
        throw 42;
        co_return;
    }
};

struct mourned {
    static inline std::atomic<int> heard{0};
    errand::awaitable<void> perform() {
        throw std::runtime_error{"broken"};
        co_return;
    }
    static void on_dead(const errand::task_info& task) {
        if (task.state == errand::state::dead && task.errors.size() == 1 && task.args.empty()) ++heard;
        throw std::runtime_error{"on_dead is broken too"};
    }
};

// Takes its time to hear of it, longer than most leases for a dozen of tasks.
struct mourned_slowly {
    static inline std::atomic<int> heard{0};
    errand::awaitable<void> perform() { co_return; }
    static void on_dead(const errand::task_info&) {
        ++heard;
        std::this_thread::sleep_for(500ms);
    }
};

// Hears of a death as an object, with beans, and may wait.
struct mourner {
    diary& book;
    errand::proxy<echo> heirs;
    mourner(diary& j, errand::proxy<echo> e) : book{j}, heirs{e} {}
    errand::awaitable<void> perform(int heir) {
        throw std::runtime_error{"broken " + std::to_string(heir)};
        co_return;
    }
    // Of heir 0 it hears for an hour, unless it is told to stop.
    errand::awaitable<void> on_dead(const errand::task_info& task) {
        const auto& why = task.errors.back();
        book.note(why.type == "errand::lease_lost" ? "lost" : why.message);
        const auto heir = task.args.at(0).to_number<int>();
        co_await sleep(heir == 0 ? 1h : 1ms);
        co_await heirs.perform_async(heir);
    }
};
struct mourner_on_pool : mourner {
    using mourner::mourner;
};
// Hears of a death until the test is over, whatever it is told.
struct mourner_for_ever {
    static inline std::atomic<bool> over{false};
    errand::awaitable<void> perform() { co_return; }
    static void on_dead(const errand::task_info&) {
        while (!over) std::this_thread::sleep_for(5ms);
    }
};

struct digs {
    errand::awaitable<std::string> perform() {
        auto& self = co_await errand::this_task();
        const auto before = std::this_thread::get_id();
        self.log().info("on the pool");
        co_await self.progress(0.25, "a quarter");
        co_await self.progress(0.5, "half");
        co_return before == std::this_thread::get_id() ? self.id() : self.id() + " ";
    }
};

struct parent {
    errand::proxy<echo> child;
    explicit parent(errand::proxy<echo> p) : child{p} {}
    errand::awaitable<int> perform(int children) {
        int sum = 0;
        for (int i = 0; i < children; ++i) {
            auto h = co_await child.perform_async(i);
            sum += co_await h;
        }
        co_return sum;
    }
};

struct free_form {
    diary& book;
    explicit free_form(diary& j) : book{j} {}
    errand::awaitable<int> perform() { co_return co_await book.body(co_await errand::this_task()); }
};

struct free_form_on_pool {
    diary& book;
    explicit free_form_on_pool(diary& j) : book{j} {}
    errand::awaitable<int> perform() { co_return co_await book.body(co_await errand::this_task()); }
};

struct tells_in_latin1 {
    errand::awaitable<void> perform() {
        auto& self = co_await errand::this_task();
        co_await self.progress(0.5, "caf\xE9");
    }
};

struct refuses_nan {
    errand::awaitable<void> perform() {
        auto& self = co_await errand::this_task();
        co_await self.progress(std::numeric_limits<double>::quiet_NaN());
    }
};

// An app whose settings suit these tests, with the bean.
struct bench : errand::test::test_app {
    explicit bench(errand::config settings = errand::test::fresh_settings())
        : test_app{std::move(settings)}, book{app.provide<diary>()} {}
    ~bench() { stop(); }

    diary& book;
};

// How a task ended, and with which error.
template <class T>
errand::task_info end_of(bench& t, const errand::handle<T>& h) {
    errand::task_info info;
    errand::test::eventually([&] { return errand::is_end((info = t.info(h)).state); });
    return info;
}

inline std::string text_of(const errand::task_info& info) {
    return info.errors.empty() ? "" : info.errors.back().type + ": " + info.errors.back().message;
}

template <class H = free_form>
errand::handle<int> submit(bench& t, errand::options extra = {}) {
    return t.run(t.app.handler<H>().with(std::move(extra)).perform_async());
}

}  // namespace worker_test

ERRAND_HANDLER(worker_test::echo)
ERRAND_HANDLER(worker_test::lingers, .max_retry = 0)
ERRAND_HANDLER(worker_test::stubborn, .max_retry = 0)
ERRAND_HANDLER(worker_test::own_bad_data, .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))
ERRAND_HANDLER(worker_test::unkeepable)
ERRAND_HANDLER(worker_test::long_winded)
ERRAND_HANDLER(worker_test::throws_a_number, .max_retry = 0)
ERRAND_HANDLER(worker_test::mourned, .max_retry = 0)
ERRAND_HANDLER(worker_test::mourned_slowly, .max_retry = 0)
ERRAND_HANDLER(worker_test::mourner, .max_retry = 0)
ERRAND_HANDLER(worker_test::mourner_for_ever, .max_retry = 0)
ERRAND_HANDLER(worker_test::mourner_on_pool, .max_retry = 0, .blocking = true)
ERRAND_HANDLER(worker_test::digs, .blocking = true)
ERRAND_HANDLER(worker_test::parent)
ERRAND_HANDLER(worker_test::refuses_nan, .max_retry = 0)
ERRAND_HANDLER(worker_test::tells_in_latin1)
ERRAND_HANDLER(worker_test::free_form, .aliases = {"worker_test.free_form.before"},
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))
ERRAND_HANDLER(worker_test::free_form_on_pool,
               .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}), .blocking = true)
