// Handlers that keep a worker's thread to themselves.
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <mutex>
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

}  // namespace

TEST_CASE("a handler that keeps its worker's thread is named, again while that lasts, and by who looks") {
    bench t;
    std::mutex guard;
    std::vector<errand::event> heard;
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
