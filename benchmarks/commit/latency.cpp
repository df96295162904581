// From a commit to the start of the task, worker and committing process apart, one transaction at a time.
#include "load/measure.hpp"
#include "load/tasks.hpp"
#include "measures.hpp"
#include "shop.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace commit {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using bench::now_ns;

namespace {

constexpr std::size_t warm_up_count = 20;
// The worker and the courier have nothing to do when the next one comes.
constexpr auto rest = 40ms;

struct delays {
    std::vector<std::int64_t> transaction, start;
};

// With a biz_id or without; returns when it started.
errand::awaitable<errand::handle<std::int64_t>> perform(errand::app& app, std::int64_t id, bool named) {
    auto to = app.handler<load::start_delay>();
    if (named) to = to.with({.biz_id = "order-" + std::to_string(id)});
    co_return co_await to.perform_async(0);
}

errand::awaitable<delays> measure(errand::app& app, const shop& at, std::size_t tasks, bool named) {
    delays all;
    asio::steady_timer pause{co_await asio::this_coro::executor};
    for (std::size_t number = 1; number <= tasks + warm_up_count; ++number) {
        pause.expires_after(rest);
        co_await pause.async_wait(asio::use_awaitable);
        const auto id = static_cast<std::int64_t>(number);
        const auto begun = now_ns();
        const auto task = co_await errand::transaction(
            at.database(), [&](auto& tx) -> errand::awaitable<errand::handle<std::int64_t>> {
                for (auto& one : at.transaction(id))
                    co_await errand::detail::run_statement(tx.level(), std::move(one.text),
                                                           std::move(one.values));
                co_return co_await perform(app, id, named);
            });
        const auto returned = now_ns();
        const auto started = co_await task;
        if (number <= warm_up_count) continue;
        all.transaction.push_back(returned - begun);
        // The delivery does not wait for the return: it may be there first.
        all.start.push_back(std::max<std::int64_t>(0, started - returned));
    }
    co_return all;
}

}  // namespace

bench::result latency(const bench::arguments& how) {
    const auto tasks = how.number("tasks", 200);
    load::worker_process worker{load::over_socket()};
    errand::app app{load::over_socket()};
    shop at{app, work::insert, 10};
    auto all = app.block_on(measure(app, at, tasks, how.number("named", 0) != 0));
    at.check(tasks + warm_up_count);
    worker.stop();
    std::ranges::sort(all.transaction);
    return bench::result{}
        .set_latencies(std::move(all.start))
        .set("transaction_p50_ms", static_cast<double>(all.transaction[tasks / 2]) / 1e6);
}

}  // namespace commit
