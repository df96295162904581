// From a submission to the start of its handler, worker and submitter in separate processes; with apart=0, or in
// memory, in one.
#include "measure.hpp"
#include "tasks.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <thread>

namespace load {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t warm_up = 100;

errand::awaitable<std::vector<std::int64_t>> measure(errand::app& app, std::size_t tasks,
                                                     std::chrono::nanoseconds gap, std::size_t queues) {
    std::vector<errand::proxy<start_delay>> to;
    for (std::size_t at = 0; at < queues; ++at)
        to.push_back(app.handler<start_delay>().with({.queue = queue_name(at, queues)}));
    co_await (co_await to[0].perform_async(now_ns()));  // a worker stands
    asio::steady_timer pace{co_await asio::this_coro::executor};
    std::vector<errand::handle<std::int64_t>> handles;
    auto next = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < warm_up + tasks; ++at) {
        next += gap;
        pace.expires_at(next);
        co_await pace.async_wait(asio::use_awaitable);
        auto one = co_await to[at % queues].perform_async(now_ns());
        if (at >= warm_up) handles.push_back(std::move(one));
    }
    std::vector<std::int64_t> all;
    for (const auto& one : handles) all.push_back(co_await one);
    co_return all;
}

}  // namespace

result latency(const arguments& how) {
    const auto rate = how.number("rate", 0);
    const auto gap = std::chrono::nanoseconds{rate == 0 ? 2'000'000 : 1'000'000'000 / rate};
    const auto queues = how.number("queues", 1);
    const bool apart = is_shared(over_socket()) && how.number("apart", 1) != 0;
    std::vector<worker_process> workers;
    for (std::size_t at = 0; apart && at < how.number("workers", 1); ++at)
        workers.emplace_back(serving(queues, over_socket()));
    errand::app app{serving(queues, over_socket())};
    if (!apart) app.block_on(app.start());
    auto delays = app.block_on(measure(app, how.number("tasks", 1000), gap, queues));
    for (auto& one : workers) one.stop();
    if (!apart) app.block_on(app.stop());
    return result{}.set_latencies(std::move(delays));
}

result idle(const arguments& how) {
    const auto seconds = how.number("seconds", 10);
    worker_process worker{over_socket()};
    std::this_thread::sleep_for(std::chrono::seconds{seconds});
    worker.stop();
    return result{}.set("seconds", static_cast<double>(seconds));
}

}  // namespace load
