// Producer and workers at once, in separate processes.
#include "measure.hpp"
#include "tasks.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace load {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A producer that runs ahead without end would measure filling and draining, one after the other.
constexpr std::size_t most_ahead = 50'000;
constexpr std::size_t bulk_size = 500;
constexpr std::size_t awaiting = 200;

errand::awaitable<void> produce(errand::app& app, std::size_t tasks, std::size_t queues) {
    asio::steady_timer pause{co_await asio::this_coro::executor};
    std::vector<errand::proxy<nop>> to;
    for (std::size_t at = 0; at < queues; ++at)
        to.push_back(app.handler<nop>().with({.queue = queue_name(at, queues)}));
    std::vector<item> items;
    std::size_t turn = 0;
    for (std::size_t done = 0; done < tasks; done += items.size()) {
        while (done > count().executed + most_ahead) {
            pause.expires_after(1ms);
            co_await pause.async_wait(asio::use_awaitable);
        }
        items.resize(std::min(bulk_size, tasks - done));
        for (std::size_t at = 0; at < items.size(); ++at)
            items[at].id = static_cast<std::int64_t>(done + at + 1);
        co_await to[turn++ % queues].perform_bulk(items);
    }
}

errand::awaitable<void> call(errand::proxy<echo> to, std::int64_t& next, std::int64_t last) {
    while (next <= last) {
        const auto id = next++;
        const auto got = co_await (co_await to.perform_async(item{id}));
        if (got != id) fail("task " + std::to_string(id) + " was answered with " + std::to_string(got));
    }
}

errand::awaitable<void> call_all(errand::app& app, std::int64_t tasks) {
    const auto executor = co_await asio::this_coro::executor;
    const auto to = app.handler<echo>();
    std::int64_t next = 1;
    using operation = decltype(asio::co_spawn(executor, call(to, next, tasks), asio::deferred));
    std::vector<operation> all;
    for (std::size_t at = 0; at < awaiting; ++at)
        all.push_back(asio::co_spawn(executor, call(to, next, tasks), asio::deferred));
    auto [order, failures] = co_await asio::experimental::make_parallel_group(std::move(all))
                                 .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace

result life(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    const auto queues = how.number("queues", 1);
    const bool results = how.number("results", 0) != 0;
    auto settings = serving(queues, over_socket());
    settings.concurrency = how.number("concurrency", 100);
    settings.threads = how.number("threads", 1);
    count().expected = tasks;
    // The processes' end counts to their CPU; their start does not to the time.
    std::vector<worker_process> workers;
    for (std::size_t at = 0; at < how.number("workers", 1); ++at) workers.emplace_back(settings);
    errand::app app{over_socket()};
    // A first task says that they stand, and is not counted.
    const auto warm = app.handler<start_delay>().with({.queue = queue_name(0, queues)});
    app.block_on([](errand::proxy<start_delay> to) -> errand::awaitable<void> {
        co_await (co_await to.perform_async(now_ns()));
    }(warm));
    const auto from = reading::now();
    const auto began = now_ns();
    if (results) {
        app.block_on(call_all(app, static_cast<std::int64_t>(tasks)));
    } else {
        app.block_on(produce(app, tasks, queues));
    }
    wait_for_all();
    const auto done = now_ns();
    for (auto& one : workers) one.stop();
    check_all(tasks);
    auto to = reading::now();
    to.seconds = from.seconds + static_cast<double>(done - began) / 1e9;
    return result{}.set(tasks, from, to);
}

}  // namespace load
