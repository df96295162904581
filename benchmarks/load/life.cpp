// Producer and workers at once, in separate processes; with apart=0, or in memory, in one.
#include "submitting.hpp"

#include <boost/asio/steady_timer.hpp>

namespace load {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A producer that runs ahead without end would measure filling and draining, one after the other.
constexpr std::size_t most_ahead = 50'000;
constexpr std::size_t tasks_a_call = 500;
constexpr std::size_t awaiting = 200;
constexpr const char* some_key = "bench:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

errand::awaitable<void> produce(errand::app& app, std::size_t tasks, std::size_t queues) {
    asio::steady_timer pause{co_await asio::this_coro::executor};
    std::vector<errand::proxy<nop>> to;
    for (std::size_t at = 0; at < queues; ++at)
        to.push_back(app.handler<nop>().with({.queue = queue_name(at, queues)}));
    std::size_t turn = 0;
    for (std::size_t done = 0; done < tasks; done += tasks_a_call) {
        while (done > count().executed + most_ahead) {
            pause.expires_after(1ms);
            co_await pause.async_wait(asio::use_awaitable);
        }
        co_await to[turn++ % queues].perform_bulk(next_items(done, tasks, tasks_a_call));
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
    const bool encrypted = how.number("encrypted", 0) != 0;
    if (encrypted) settings.encryption_keys = some_key;
    count().expected = tasks;
    // The processes' end counts to their CPU; their start does not to the time.
    const bool apart = is_shared(settings) && how.number("apart", 1) != 0;
    std::vector<worker_process> workers;
    for (std::size_t at = 0; apart && at < how.number("workers", 1); ++at) workers.emplace_back(settings);
    auto own = apart ? over_socket() : settings;
    if (encrypted) own.encryption_keys = some_key;
    errand::app app{own};
    if (!apart) app.block_on(app.start());
    // A first task says that they stand, and is not counted.
    const auto warm = app.handler<start_delay>().with({.queue = queue_name(0, queues)});
    app.block_on([](errand::proxy<start_delay> to) -> errand::awaitable<void> {
        co_await (co_await to.perform_async(now_ns()));
    }(warm));
    const auto call = [to = app.handler<echo>()](std::int64_t id) -> errand::awaitable<void> {
        const auto got = co_await (co_await to.perform_async(item{id}));
        if (got != id) fail("task " + std::to_string(id) + " was answered with " + std::to_string(got));
    };
    const auto from = reading::now();
    const auto began = now_ns();
    if (results) {
        app.block_on(from_callers(awaiting, tasks, call));
    } else {
        app.block_on(produce(app, tasks, queues));
    }
    wait_for_all();
    const auto done = now_ns();
    for (auto& one : workers) one.stop();
    if (!apart) app.block_on(app.stop());
    check_all(tasks);
    auto to = reading::now();
    to.seconds = from.seconds + static_cast<double>(done - began) / 1e9;
    return result{}.set(tasks, from, to);
}

}  // namespace load
