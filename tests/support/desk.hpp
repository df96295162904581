// An operator at an app whose tasks fail or stay when told to.
#pragma once

#include <errand/errand.hpp>

#include "support/shards.hpp"
#include "support/test_app.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <thread>

namespace desk_test {

using namespace std::chrono_literals;
using errand::list_order;
using errand::state;
using errand::test::eventually;

inline std::atomic<bool> desk_is_broken{false};
inline std::atomic<bool> blocked{false};

struct chore {
    errand::awaitable<int> perform(int number) {
        if (desk_is_broken) throw std::runtime_error{"no route to host " + std::to_string(number)};
        auto& self = co_await errand::this_task();
        while (blocked && !self.cancelled()) {
            boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, 2ms};
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        co_return number;
    }
};

}  // namespace desk_test

ERRAND_DECLARE_HANDLER(desk_test::chore, .name = "chore", .queue = "chores", .max_retry = 0)

namespace desk_test {

struct desk : errand::test::test_app {
    explicit desk(errand::config settings = errand::test::fresh_settings()) : test_app{std::move(settings)} {
        desk_is_broken = blocked = false;
    }
    ~desk() { desk_is_broken = blocked = false; }

    errand::handle<int> submit(int number, errand::options extra = {}) {
        return run(app.handler<chore>().with(std::move(extra)).perform_async(number));
    }
    errand::queue_info queue(const std::string& name = "chores") {
        for (auto& one : run(app.inspect().queues())) {
            if (one.name == name) return one;
        }
        FAIL("no queue " + name);
        return {};
    }
    std::size_t count(state in) { return queue().count(in); }
    std::vector<int> numbers(const std::vector<errand::task_info>& tasks) {
        std::vector<int> all;
        for (const auto& one : tasks) all.push_back(static_cast<int>(one.args.at(0).as_int64()));
        return all;
    }
    // Of all pages of this size.
    std::vector<int> listed(const errand::task_filter& which, std::size_t page, list_order order) {
        std::vector<int> all;
        std::string next;
        do {
            const auto got = run(app.inspect().list(which, next, page, order));
            CHECK(got.tasks.size() <= page);
            for (const int one : numbers(got.tasks)) all.push_back(one);
            next = got.next;
        } while (!next.empty());
        return all;
    }
    void all_end(state as, std::size_t n) {
        eventually([&] { return count(as) == n; });
    }
};

// Tasks of one millisecond stand in no certain order.
inline void next_ms() {
    const auto now = [] { return std::chrono::floor<errand::duration>(std::chrono::system_clock::now()); };
    for (const auto from = now(); now() == from;) std::this_thread::yield();
}

// Over several shards each has an order of ready tasks, and a share of what is kept, of its own.
inline errand::config one_shard() { return errand::test::settings_in_shards(1); }

inline std::vector<int> up_to(int n) {
    std::vector<int> all;
    for (int i = 0; i < n; ++i) all.push_back(i);
    return all;
}

}  // namespace desk_test
