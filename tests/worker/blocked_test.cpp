// Handlers that keep a worker's thread to themselves.
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace worker_test;
using errand::test::eventually;

namespace {

// Whatever becomes of the test, its handler ends.
struct released {
    diary& book;
    ~released() { book.release = true; }
};

// Each turn passes through what sanitizers let signals in at.
[[gnu::noinline]] void computes_until(const std::atomic<bool>& end) {
    std::mutex nobody_waits_for;
    while (!end) {
        const std::lock_guard lock{nobody_waits_for};
    }
}

// What is said of blocked threads, in the order in which it was heard.
class said_of_blocked {
public:
    explicit said_of_blocked(errand::app& app) {
        // The app may speak for longer than the test listens.
        app.on_event([into = said_](const errand::event& what) {
            if (what.kind != errand::event_kind::loop_blocked) return;
            const std::lock_guard lock{into->guard};
            into->texts.push_back(what.text);
        });
    }
    bool has(std::string_view part) const {
        const std::lock_guard lock{said_->guard};
        return std::ranges::any_of(said_->texts,
                                   [&](const std::string& one) { return one.find(part) != one.npos; });
    }

private:
    struct texts_said {
        std::mutex guard;
        std::vector<std::string> texts;
    };
    std::shared_ptr<texts_said> said_ = std::make_shared<texts_said>();
};

}  // namespace

TEST_CASE("a handler that computes on its worker's thread is named with the functions that it is in") {
    bench t;
    const said_of_blocked said{t.app};
    t.book.body = [&book = t.book](errand::task_context&) -> errand::awaitable<int> {
        computes_until(book.release);
        co_return 1;
    };
    t.start();
    const released at_the_end{t.book};
    const auto h = submit(t);
    eventually([&] { return said.has("computes_until("); });
    CHECK(said.has("it is in "));
    t.book.release = true;
    CHECK(t.wait(h) == 1);
}

TEST_CASE("of tasks that began one after the other the one that keeps the thread is named") {
    auto named = std::make_shared<std::atomic<int>>(0);
    auto others = std::make_shared<std::atomic<int>>(0);
    bench t;
    std::vector<errand::handle<int>> all;
    for (int n = 0; n < 6; ++n) all.push_back(submit(t));
    const auto last = all.back().id();
    t.app.on_event([=](const errand::event& what) {
        if (what.kind != errand::event_kind::loop_blocked || what.task.empty()) return;
        ++*(what.task == last ? named : others);
    });
    t.book.body = [&book = t.book, last](errand::task_context& self) -> errand::awaitable<int> {
        if (self.id() == last) computes_until(book.release);
        co_return 1;
    };
    t.start();
    const released at_the_end{t.book};
    eventually([&] { return *named > 0; });
    t.book.release = true;
    for (const auto& one : all) CHECK(t.wait(one) == 1);
    CHECK(*others == 0);
}

TEST_CASE("a handler that waits in a system call is named with the call, which is not ended by that") {
    std::atomic<int> interrupted{0};
    bench t;
    const said_of_blocked said{t.app};
    t.book.body = [&](errand::task_context&) -> errand::awaitable<int> {
        const std::timespec moment{.tv_sec = 0, .tv_nsec = 300'000'000};
        while (!t.book.release) {
            if (::clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr) != 0) ++interrupted;
        }
        co_return 1;
    };
    t.start();
    const released at_the_end{t.book};
    const auto h = submit(t);
    eventually([&] { return said.has("it waits in the system call clock_nanosleep"); });
    t.book.release = true;
    CHECK(t.wait(h) == 1);
    CHECK(interrupted == 0);
}

TEST_CASE("a handler that keeps its worker's thread is named, again while that lasts, and by who looks") {
    std::mutex guard;
    std::vector<errand::event> heard;  // until the app is gone, which may speak as late as that
    bench t;
    t.app.on_event([&](const errand::event& what) {
        const std::lock_guard lock{guard};
        // Of a machine that stands still no task is named.
        const bool named = !what.task.empty();
        if (what.kind == errand::event_kind::loop_blocked && named) heard.push_back(what);
    });
    t.book.body = [&book = t.book](errand::task_context&) -> errand::awaitable<int> {
        while (!book.release) std::this_thread::sleep_for(1ms);
        co_return 1;
    };
    t.start();
    const released at_the_end{t.book};
    const auto h = submit(t);
    eventually([&] {
        const std::lock_guard lock{guard};
        return heard.size() >= 2;
    });
    {
        const std::lock_guard lock{guard};
        CHECK(heard[0].task == h.id());
        CHECK(heard[0].handler == "worker_test::free_form");
        CHECK(heard[0].after >= 1s);
        CHECK(heard[1].task == h.id());
        CHECK(heard[1].after > heard[0].after);
    }
    eventually([&] {
        const auto workers = t.run(t.app.inspect().workers());
        return std::ranges::any_of(workers, [&](const errand::worker_info& one) {
            return std::ranges::count(one.blocking, h.id()) == 1;
        });
    });
    t.book.release = true;
    CHECK(t.wait(h) == 1);
}
