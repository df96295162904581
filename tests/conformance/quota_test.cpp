// What the quota of a namespace lets through, from whatever is submitted, and how programs hear of it.
#include "conformance/tenant.hpp"
#include "runtime/async_gate.hpp"
#include "support/shards.hpp"
#include "support/store_kind.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>
#include <thread>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using namespace tenant_test;

TEST_CASE("with 100 tasks that may be queued the 101st is refused, and another tenant notices nothing") {
    tenant t;
    tenant other;
    t.set({.max_queued = 100});
    t.submit(3);
    t.submit_together(97);
    const auto refused = refusal_of([&] { t.submit(1); });
    CHECK_THAT(refused.what(), ContainsSubstring("lets 100 tasks be queued, and 100 are"));
    CHECK_THAT(refused.what(), ContainsSubstring(t.app.settings().name_space));
    REQUIRE(refused.retry_after());
    CHECK(*refused.retry_after() > 0ms);
    CHECK(*refused.retry_after() <= 100ms);
    CHECK(t.queued() == 100);
    other.submit_together(101);
    CHECK(other.queued() == 101);
    t.start();
    eventually([&] { return !t.is_refused(); });
}

TEST_CASE(
    "a quota below what is queued is refused unless it is meant, and then lets nothing in until enough is done") {
    tenant t;
    t.submit_together(10);
    CHECK_THROWS_WITH(t.set({.max_queued = 4}),
                      ContainsSubstring("quota .max_queued = 4: 10 tasks are queued now; allow as many"));
    CHECK_THROWS_AS(t.set({.max_queued = 4}), errand::usage_error);
    CHECK(t.run(t.app.current_quota()).version == 0);
    CHECK_FALSE(t.is_refused());
    CHECK(t.set({.max_queued = 11}).queued == 11);
    CHECK(t.set({.max_queued = 4}, {.below_queued = true}).queued == 11);
    // What is as low already may stay, or be raised.
    t.set({.max_queued = 4, .max_payload = 1000});
    t.set({.max_queued = 5});
    CHECK_THROWS_AS(t.set({.max_queued = 3}), errand::usage_error);
    CHECK(t.is_refused());
    CHECK(t.queued() == 11);
    t.start();
    eventually([&] { return !t.is_refused(); });
}

TEST_CASE(
    "of many tasks that are submitted together the quota lets the first in, and says of each other that it did not") {
    tenant t;
    t.set({.max_queued = 5});
    try {
        t.submit_together(8);
        FAIL("nothing was refused");
    } catch (const errand::bulk_error& e) {
        CHECK_THAT(e.what(),
                   ContainsSubstring("3 of 8 submissions were refused; the first is item 5: the quota"));
        for (std::size_t at = 0; at < 8; ++at) {
            if (at < 5) {
                CHECK(e.errors().at(at) == nullptr);
                REQUIRE(e.handles<int>().at(at));
                CHECK(t.info(*e.handles<int>().at(at)).args == boost::json::array{static_cast<int>(at)});
            } else {
                CHECK_THROWS_AS(std::rethrow_exception(e.errors().at(at)), quota_exceeded);
            }
        }
    }
    CHECK(t.queued() == 5);
}

TEST_CASE("a rate counts tasks and not calls") {
    tenant t;
    t.set({.submit_rate = an_hour(10)});
    t.submit_together(8);
    t.submit(1);
    CHECK_THROWS_AS(t.submit_together(3), errand::bulk_error);
    CHECK(t.queued() == 10);
    const auto refused = refusal_of([&] { t.submit(1); });
    CHECK_THAT(refused.what(),
               ContainsSubstring("lets 10 tasks be submitted in 3600000 ms: submit again in"));
    REQUIRE(refused.retry_after());
    CHECK(*refused.retry_after() > 1min);
    CHECK(*refused.retry_after() <= 6min);
}

TEST_CASE("a bucket of a rate holds its burst and no more") {
    tenant t;
    t.set({.submit_rate = an_hour(1000, 3)});
    t.submit(3);
    CHECK(t.is_refused());
}

TEST_CASE("what comes back into the bucket in time is let through again") {
    tenant t;
    t.set({.submit_rate = rate_limit{4, 40ms, 0}});
    for (int round = 0; round < 3; ++round) {
        for (int sent = 0; sent < 4;) sent += t.is_refused() ? 0 : 1;
    }
    CHECK(t.queued() == 12);
}

TEST_CASE("tasks of a transaction are let through all or not at all") {
    tenant t;
    t.set({.submit_rate = an_hour(5)});
    const auto commit = [&](int count) {
        t.run([](tenant& in, int n) -> errand::awaitable<void> {
            co_await errand::transaction(in.app, [&]() -> errand::awaitable<void> {
                for (int i = 0; i < n; ++i) co_await in.app.handler<purchase>().perform_async(i);
            });
        }(t, count));
    };
    const auto never = refusal_of([&] { commit(6); });
    CHECK_FALSE(never.retry_after());
    CHECK_THAT(never.what(), ContainsSubstring("5 at once, and these are 6, all or none"));
    commit(3);
    const auto later = refusal_of([&] { commit(3); });
    REQUIRE(later.retry_after());
    CHECK(*later.retry_after() > 1min);
    CHECK(t.queued() == 3);
    commit(2);
    CHECK(t.queued() == 5);
}

TEST_CASE("a plan is let through whole or not at all") {
    tenant t;
    t.set({.max_queued = 3});
    const auto orders = t.app.handler<purchase>();
    const auto three = [&] { return errand::group(orders.plan(1), orders.plan(2), orders.plan(3)); };
    CHECK_THROWS_AS(t.run(three().submit()), quota_exceeded);
    CHECK(t.queued() == 0);
    t.set({.max_queued = 4});
    t.run(three().submit());
    CHECK(t.queued() >= 3);
}

TEST_CASE("arguments that are larger than the quota allows are refused, each by itself") {
    tenant t;
    t.set({.max_payload = 20});
    const auto letters = t.app.handler<letter>();
    t.run(letters.perform_async("short"));
    const auto refused = refusal_of([&] { t.run(letters.perform_async(std::string(30, 'x'))); });
    CHECK_FALSE(refused.retry_after());
    CHECK_THAT(refused.what(), ContainsSubstring("34 bytes of JSON for tenant_test::letter"));
    CHECK_THAT(refused.what(), ContainsSubstring("allows 20"));
    const std::vector<std::string> mixed{"a", std::string(30, 'x'), "b"};
    CHECK_THROWS_AS(t.run(letters.perform_bulk(mixed)), errand::bulk_error);
    CHECK(t.queued() == 3);
    CHECK_THROWS_AS(t.run(letters.every(1h, {}, std::string(30, 'x'))), quota_exceeded);
}

TEST_CASE("a schedule that would be one too many is refused, one that is there is not") {
    tenant t;
    t.set({.max_schedules = 2});
    const auto orders = t.app.handler<purchase>();
    const auto first = t.run(orders.every(1h, {}, 1));
    t.run(orders.every(1h, {}, 2));
    CHECK_THAT(refusal_of([&] { t.run(orders.every(1h, {}, 3)); }).what(),
               ContainsSubstring("allows 2 schedules, and there are as many"));
    t.run(orders.every(1h, {}, 2));
    t.run(first.cancel());
    t.run(orders.every(1h, {}, 3));
    CHECK_THROWS_AS(t.run([](tenant& in) -> errand::awaitable<void> {
        co_await errand::transaction(in.app, [&]() -> errand::awaitable<void> {
            co_await in.app.handler<purchase>().perform_async(7);
            co_await in.app.handler<purchase>().every(1h, {}, 4);
        });
    }(t)),
                    quota_exceeded);
    CHECK(t.queued() == 0);
}

TEST_CASE("ticks that the quota keeps are skipped, and the schedule goes on") {
    tenant t;
    t.set({.max_queued = 0});
    const auto fixed = t.run(t.app.handler<chime>().every(20ms, {.mode = errand::fixed_rate}));
    const auto blocking = t.run(t.app.handler<chime>().every(21ms));
    t.start();
    eventually([&] { return t.run(fixed.info()).skipped >= 2; });
    eventually([&] { return t.run(blocking.info()).skipped >= 2; });
    CHECK(t.run(fixed.info()).runs == 0);
    CHECK(t.run(blocking.info()).runs == 0);
    t.run(t.app.clear_quota());
    eventually([&] { return t.run(fixed.info()).runs >= 1; });
    eventually([&] { return t.run(blocking.info()).runs >= 1; });
}

TEST_CASE("a run that somebody asks for by hand counts like a submission") {
    tenant t;
    const auto hourly = t.run(t.app.handler<chime>().cron("0 * * * *"));
    t.set({.max_queued = 0});
    CHECK_THROWS_AS(t.run(hourly.run_now()), quota_exceeded);
    const auto now = errand::time_point{
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())};
    CHECK_THROWS_AS(t.run(hourly.backfill(now - 3h, now)), quota_exceeded);
    CHECK(t.queued() == 0);
}

TEST_CASE("retries of what was accepted pass") {
    tenant t;
    const auto h = t.run(t.app.handler<stubborn>().perform_async());
    t.set({.max_queued = 0}, {.below_queued = true});
    t.start();
    CHECK(t.wait(h) == 3);
    CHECK(t.is_refused());
}

TEST_CASE("a quota is read back with who has set it, changed and cleared") {
    tenant t;
    CHECK(t.run(t.app.current_quota()).version == 0);
    const quota rules{.max_queued = 7, .submit_rate = an_hour(9, 2), .max_schedules = 3, .max_payload = 4000};
    const auto made = t.set(rules);
    CHECK(made.rules == rules);
    CHECK(made.version == 1);
    const auto read = t.run(t.app.current_quota());
    CHECK(read.rules == rules);
    CHECK(read.at == made.at);
    CHECK_THAT(read.by, ContainsSubstring(":" + std::to_string(::getpid())));
    const auto cleared = t.run(t.app.clear_quota());
    CHECK(cleared.rules == quota{});
    CHECK(cleared.version == 2);
    t.submit_together(20);
    CHECK(t.queued() == 20);
}

TEST_CASE("a quota that says nothing sensible is refused, and what is there stays") {
    tenant t;
    t.set({.max_queued = 1});
    const auto says = [&](const quota& rules, const std::string& text) {
        CHECK_THROWS_WITH(t.set(rules), ContainsSubstring(text));
    };
    says({.max_queued = -1}, "quota .max_queued = -1: must be 0 or more");
    says({.max_schedules = -2}, "quota .max_schedules = -2: must be 0 or more");
    says({.max_payload = 0}, "quota .max_payload = 0: must be 1 or more");
    says({.submit_rate = rate_limit{0, 1s, 0}}, "quota .submit_rate.count = 0: must be 1..");
    says({.submit_rate = rate_limit{5, 1s, 6}}, "quota .submit_rate.burst = 6: must be 0..5");
    says({.max_running = -1}, "quota .max_running = -1: must be 0 or more");
    CHECK(t.run(t.app.current_quota()).rules == quota{.max_queued = 1});
}

TEST_CASE("a quota is no handler of which something is set") {
    tenant t;
    t.set({.max_queued = 1});
    CHECK(t.run(t.app.inspect().handlers()).empty());
}

TEST_CASE("programs that run hear of a quota, and new ones know it", "[shared_by_apps]") {
    tenant t;
    tenant other{t.app.settings()};
    other.submit(1);
    t.set({.max_queued = 0}, {.below_queued = true});
    eventually([&] { return other.is_refused(); });
    tenant late{t.app.settings()};
    CHECK(late.is_refused());
    t.run(t.app.clear_quota());
    eventually([&] { return !other.is_refused(); });
}

TEST_CASE("many submitters at once are let in as far as there is room", "[concurrent]") {
    tenant t;
    t.set({.submit_rate = an_hour(40)});
    std::atomic<int> accepted = 0, refused = 0;
    const auto submit_some = [&] {
        for (int n = 0; n < 15; ++n) ++(t.is_refused() ? refused : accepted);
    };
    {
        std::vector<std::jthread> threads;
        for (int n = 0; n < 4; ++n) threads.emplace_back(submit_some);
    }
    CHECK(accepted == 40);
    CHECK(refused == 20);
    CHECK(t.queued() == 40);
}

namespace {

errand::awaitable<bool> is_let_through(tenant& in, int number) {
    try {
        co_await in.app.handler<purchase>().perform_async(number);
    } catch (const quota_exceeded&) {
        co_return false;
    }
    co_return true;
}

// So many on one thread, each before another is answered; how many were accepted.
errand::awaitable<int> submit_at_once(tenant& in, int count) {
    const auto executor = co_await boost::asio::this_coro::executor;
    errand::async_gate answered{executor};
    int accepted = 0, left = count;
    for (int n = 0; n < count; ++n) {
        boost::asio::co_spawn(executor, is_let_through(in, n), [&](const std::exception_ptr& why, bool is) {
            if (!why && is) ++accepted;
            if (--left == 0) answered.open();
        });
    }
    while (left > 0) co_await answered.wait();
    co_return accepted;
}

}  // namespace

TEST_CASE("submissions that ask at the same time share what the quota lets through") {
    tenant t;
    t.set({.submit_rate = an_hour(3)});
    CHECK(t.run(submit_at_once(t, 8)) == 3);
    CHECK(t.queued() == 3);
}
