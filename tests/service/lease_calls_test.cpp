// Keeping what many hold: by how many calls of the store.
#include <errand/proxy.hpp>

#include "runtime/async_gate.hpp"
#include "runtime/on_loop.hpp"
#include "service/exchange.hpp"
#include "service/in_line.hpp"
#include "service/programs.hpp"
#include "service/ticket.hpp"
#include "support/metric_page.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <vector>

using service_test::counter;
using service_test::foreign_task;
using service_test::id_of;
using service_test::program;
namespace asio = boost::asio;
namespace web = errand::web;

namespace {

struct held_task {
    errand::task_id id;
    web::ticket by;
};

double extend_calls(counter& t) {
    auto at = t.connect();
    const auto page = errand::test::read_metrics(at.ask("GET", "/metrics").body);
    double sum = 0;
    for (const auto& [sample, value] : page.samples) {
        if (sample.starts_with("errand_store_calls_total{operation=\"extend\"")) sum += value;
    }
    return sum;
}

// All at one instant, by an exchange of their own on this loop.
errand::awaitable<std::vector<errand::extend_answer>> extend_each(errand::detail::app_core& core,
                                                                  errand::loop& there,
                                                                  std::vector<held_task> all) {
    const auto work = std::make_shared<web::exchange>(core, there);
    co_await work->ready();
    const auto executor = co_await asio::this_coro::executor;
    std::vector<errand::extend_answer> got(all.size());
    errand::async_gate ended{executor};
    std::size_t left = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
        work->tasks().know_claim(all[i].by.claim, all[i].by.mark);
        errand::extend_call call;
        call.claims = {all[i].by.claim};
        call.tasks = {{all[i].id, all[i].by.claim}};
        asio::co_spawn(executor, work->extend(std::move(call)),
                       [&, i](const std::exception_ptr& why, errand::extend_answer answer) {
                           if (why) answer.unheard = {{all[i].id, all[i].by.claim}};
                           got[i] = std::move(answer);
                           if (--left == 0) ended.open();
                       });
    }
    while (left > 0) co_await ended.wait();
    co_await work->stop();
    co_return got;
}

// What becomes of two, asked for at one instant for lengths of which no call has both. The first call gets no answer, and its end
// ends the silence.
errand::awaitable<std::vector<bool>> extend_around_a_silence(errand::detail::app_core& core,
                                                             errand::loop& there, std::vector<held_task> all,
                                                             errand::test::redis_server& server) {
    const auto work = std::make_shared<web::exchange>(core, there);
    co_await work->ready();
    const auto executor = co_await asio::this_coro::executor;
    server.freeze();
    std::vector<bool> failed(all.size());
    errand::async_gate ended{executor};
    std::size_t left = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
        work->tasks().know_claim(all[i].by.claim, all[i].by.mark);
        errand::extend_call call;
        call.lease = std::chrono::seconds{30 + i};
        call.claims = {all[i].by.claim};
        call.tasks = {{all[i].id, all[i].by.claim}};
        asio::co_spawn(executor, work->extend(std::move(call)),
                       [&, i](const std::exception_ptr& why, const errand::extend_answer&) {
                           failed[i] = why != nullptr;
                           if (i == 0) server.thaw();
                           if (--left == 0) ended.open();
                       });
    }
    while (left > 0) co_await ended.wait();
    co_await work->stop();
    co_return failed;
}

// How many of so many who ask at one instant, each for a length of his own, hear that the store is away. It answers nobody until all have.
errand::awaitable<std::size_t> extend_in_a_silence(errand::detail::app_core& core, errand::loop& there,
                                                   held_task one, std::size_t askers,
                                                   errand::test::redis_server& server) {
    const auto work = std::make_shared<web::exchange>(core, there);
    co_await work->ready();
    const auto executor = co_await asio::this_coro::executor;
    work->tasks().know_claim(one.by.claim, one.by.mark);
    server.freeze();
    errand::async_gate ended{executor};
    std::size_t left = askers;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < askers; ++i) {
        errand::extend_call call;
        call.lease = std::chrono::seconds{30 + i};
        call.claims = {one.by.claim};
        call.tasks = {{one.id, one.by.claim}};
        asio::co_spawn(executor, work->extend(std::move(call)),
                       [&](const std::exception_ptr& why, const errand::extend_answer&) {
                           if (why) ++failed;
                           if (--left == 0) ended.open();
                       });
    }
    while (left > 0) co_await ended.wait();
    server.thaw();
    co_await work->stop();
    co_return failed;
}

}  // namespace

TEST_CASE("a call for leases that fails is no word about those that were not in it", "[service][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    settings.store_timeout = std::chrono::seconds{3};
    counter t{{}, settings};
    program py{t};
    std::vector<held_task> all;
    for (int i = 0; i < 2; ++i) {
        t.submit(foreign_task);
        const auto task = py.claim_one();
        all.push_back({.id = *errand::parse_task_id(id_of(task)),
                       .by = *web::read_ticket(std::string{task.at("claim").as_string()})});
    }
    auto& core = errand::detail::core_of(t.app);
    const auto failed = t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
        return extend_around_a_silence(core, there, all, server);
    }));
    CHECK(failed == std::vector{true, false});
}

TEST_CASE("leases that many keep at the same time are written by few calls, and each hears of its own",
          "[service]") {
    counter t;
    constexpr std::size_t many = 60;
    constexpr std::size_t cancelled = 7;
    for (std::size_t i = 0; i < many; ++i) t.submit(foreign_task);
    program py{t};
    std::vector<held_task> all;
    while (all.size() < many) {
        for (const auto& one : py.claim(R"("limit": 20, "wait_ms": 60000)")) {
            const auto& task = one.as_object();
            all.push_back({.id = *errand::parse_task_id(id_of(task)),
                           .by = *web::read_ticket(std::string{task.at("claim").as_string()})});
        }
    }
    t.run(t.app.inspect().cancel(errand::to_text(all[cancelled].id)));
    auto& core = errand::detail::core_of(t.app);
    const auto before = extend_calls(t);
    const auto got = t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
        return extend_each(core, there, all);
    }));
    // The first one, which nobody can wait for, and all others.
    CHECK(extend_calls(t) - before == 2);
    for (std::size_t i = 0; i < many; ++i) {
        INFO(i);
        CHECK(got[i].unheard.empty());
        CHECK((got[i].lost_tasks.size() + got[i].lost_claims.size() > 0) == (i == cancelled));
        for (const auto& [id, claim] : got[i].lost_tasks) CHECK(id == all[i].id);
    }
}

TEST_CASE(
    "who stands in line for a store that is away hears so with those before him, and asks again in vain no more",
    "[service][goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 1;
    settings.store_timeout = std::chrono::seconds{1};
    counter t{{}, settings};
    program py{t};
    t.submit(foreign_task);
    const auto task = py.claim_one();
    const held_task one{.id = *errand::parse_task_id(id_of(task)),
                        .by = *web::read_ticket(std::string{task.at("claim").as_string()})};
    constexpr std::size_t askers = 12;
    const auto calls = extend_calls(t);
    auto& core = errand::detail::core_of(t.app);
    const auto failed = t.run(errand::on_loop(core.background(), [&](errand::loop& there) {
        return extend_in_a_silence(core, there, one, askers, server);
    }));
    CHECK(failed == askers);
    // Each takes as long as is waited for the store: who is served after twice that long waits no longer.
    CHECK(extend_calls(t) - calls <= 3);
}

TEST_CASE("who stands in line hears of it when it is not even found out whose turn it is", "[service]") {
    struct request {
        std::exception_ptr failure{};
        bool served = false;
    };
    asio::io_context context;
    std::deque<std::shared_ptr<request>> line;
    const auto stand = [&] { return line.emplace_back(std::make_shared<request>()); };
    const std::vector first{stand(), stand()};
    std::shared_ptr<request> later;
    int calls = 0;
    const auto next = [&]() -> errand::awaitable<void> {
        if (++calls == 1) throw std::bad_alloc{};
        line.front()->served = true;
        line.pop_front();
        co_return;
    };
    const auto fail = [&](request& one, const std::exception_ptr& why) {
        one.failure = why;
        // Who comes while that is told is none of those.
        if (!later) later = stand();
    };
    bool ended = false;
    asio::co_spawn(context, web::serve_line(line, next, fail), [&](const std::exception_ptr& why) {
        CHECK_FALSE(why);
        ended = true;
    });
    context.run();
    CHECK(ended);
    for (const auto& one : first) {
        REQUIRE(one->failure);
        CHECK_THROWS_AS(std::rethrow_exception(one->failure), std::bad_alloc);
        CHECK_FALSE(one->served);
    }
    REQUIRE(later);
    CHECK_FALSE(later->failure);
    CHECK(later->served);
    CHECK(line.empty());
    CHECK(calls == 2);
}
