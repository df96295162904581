// errand::all and errand::any inside handlers, where slots are few.
#include "worker/handlers.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::state;
using errand::test::eventually;

namespace worker_test {

struct sums_all {
    errand::proxy<echo> child;
    explicit sums_all(errand::proxy<echo> p) : child{p} {}
    errand::awaitable<int> perform(int children) {
        std::vector<int> values;
        for (int i = 0; i < children; ++i) values.push_back(i);
        const auto handles = co_await child.perform_bulk(values);
        int sum = 0;
        for (const int value : co_await errand::all(handles)) sum += value;
        co_return sum;
    }
};

// The same on the pool of those that block.
struct sums_all_on_pool {
    errand::proxy<echo> child;
    explicit sums_all_on_pool(errand::proxy<echo> p) : child{p} {}
    errand::awaitable<int> perform(int children) {
        auto& self = co_await errand::this_task();
        std::vector<int> values;
        for (int i = 0; i < children; ++i) values.push_back(i);
        const auto handles = co_await child.perform_bulk(values);
        int sum = 0;
        for (const int value : co_await errand::all(handles)) sum += value;
        co_await self.progress(1.0);
        co_return sum;
    }
};

// Each level awaits the next one: by its handle, by all, by any.
struct descends {
    errand::proxy<descends> next;
    explicit descends(errand::proxy<descends> p) : next{p} {}
    errand::awaitable<int> perform(int depth) {
        if (depth == 0) co_return 0;
        const auto child = co_await next.perform_async(depth - 1);
        if (depth % 3 == 0) co_return 1 + co_await child;
        if (depth % 3 == 1) {
            const auto [value] = co_await errand::all(child);
            co_return 1 + value;
        }
        const auto first = co_await errand::any(std::vector<errand::handle<int>>{child});
        co_return 1 + first.second;
    }
};

// Waits for a task that does not end by itself.
struct gives_up {
    errand::proxy<lingers> child;
    explicit gives_up(errand::proxy<lingers> p) : child{p} {}
    errand::awaitable<std::string> perform() {
        const auto h = co_await child.perform_async(1h);
        const errand::await_options how{.within = 20ms, .cancel_rest = true};
        try {
            co_await errand::all(how, h);
        } catch (const errand::timed_out&) {
            co_return h.id();
        }
        co_return "";
    }
};

struct takes_the_first {
    errand::proxy<echo> quick;
    errand::proxy<lingers> slow;
    takes_the_first(errand::proxy<echo> a, errand::proxy<lingers> b) : quick{a}, slow{b} {}
    errand::awaitable<std::string> perform() {
        const auto a = co_await quick.perform_async(1);
        const auto b = co_await slow.perform_async(1h);
        const errand::await_options how{.cancel_rest = true};
        const auto first = co_await errand::any(how, a, b);
        co_return first.first == 0 ? b.id() : "";
    }
};

struct waits_for_ever {
    errand::proxy<lingers> child;
    explicit waits_for_ever(errand::proxy<lingers> p) : child{p} {}
    errand::awaitable<void> perform(std::string key) {
        std::vector<errand::handle<int>> all;
        for (int i = 0; i < 3; ++i) {
            const auto biz_id = key + std::to_string(i);
            all.push_back(co_await child.with({.biz_id = biz_id}).perform_async(1h));
        }
        co_await errand::all(all);
    }
};

}  // namespace worker_test

ERRAND_HANDLER(worker_test::sums_all)
ERRAND_HANDLER(worker_test::sums_all_on_pool, .blocking = true)
ERRAND_HANDLER(worker_test::descends)
ERRAND_HANDLER(worker_test::gives_up, .max_retry = 0)
ERRAND_HANDLER(worker_test::takes_the_first, .max_retry = 0)
ERRAND_HANDLER(worker_test::waits_for_ever, .max_retry = 0)

namespace {

errand::config one_slot() {
    auto settings = errand::test::fresh_settings();
    settings.concurrency = 1;
    return settings;
}

}  // namespace

TEST_CASE("a handler that waits for all of its children finishes at concurrency 1") {
    bench t{one_slot()};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<sums_all>().perform_async(50))) == 1225);
}

TEST_CASE("a blocking handler that waits for all of its children finishes at concurrency 1", "[concurrent]") {
    auto settings = one_slot();
    settings.blocking_threads = 1;
    bench t{settings};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<sums_all_on_pool>().perform_async(50))) == 1225);
}

TEST_CASE("parents nested fifty deep that await their children finish at concurrency 1") {
    bench t{one_slot()};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<descends>().perform_async(50))) == 50);
}

TEST_CASE("many nested parents on several threads with one slot each finish", "[concurrent]") {
    auto settings = errand::test::fresh_settings();
    settings.threads = 2;
    settings.concurrency = 2;
    bench t{settings};
    t.start();
    std::vector<int> depths(20, 20);
    const auto handles = t.run(t.app.handler<descends>().perform_bulk(depths));
    CHECK(t.run(errand::all({.within = 60s}, handles)) == depths);
}

TEST_CASE("a handler that waits for many tasks counts as one that waits") {
    auto settings = one_slot();
    settings.max_awaiting = 1;
    bench t{settings};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<sums_all>().perform_async(5))) == 10);
}

TEST_CASE("what is cancelled when the time is over leaves its slot to the handler that waited") {
    bench t{one_slot()};
    t.start();
    const auto child = t.wait(t.run(t.app.handler<gives_up>().perform_async()));
    CHECK(t.run(t.app.find(child))->state == state::cancelled);
}

TEST_CASE("a handler that takes the first of its children goes on when the others are cancelled") {
    auto settings = one_slot();
    settings.shards = 1;  // over several the slow one may be claimed first
    bench t{settings};
    t.start();
    const auto child = t.wait(t.run(t.app.handler<takes_the_first>().perform_async()));
    CHECK(t.run(t.app.find(child))->state == state::cancelled);
}

TEST_CASE("a handler stopped while it waits for many tasks ends, and they go on") {
    bench t;
    t.start();
    const auto waiting = t.app.handler<waits_for_ever>().with({.timeout = 1s});
    const auto h = t.run(waiting.perform_async(std::string{"k"}));
    CHECK_THROWS_AS(t.wait(h), errand::task_failed);
    CHECK_THAT(t.info(h).errors.back().type, ContainsSubstring("timed_out"));
    const auto children = t.app.handler<lingers>();
    for (int i = 0; i < 3; ++i) {
        const auto its = t.run(children.with({.biz_id = "k" + std::to_string(i)}).perform_async(1h));
        CHECK(its.duplicate());
        CHECK_FALSE(errand::is_end(t.info(its).state));
        CHECK(t.run(its.cancel()));
    }
}
