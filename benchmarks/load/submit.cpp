// Submissions without a worker: one by one, from concurrent callers, in bulk.
#include "measure.hpp"
#include "tasks.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace load {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

errand::awaitable<void> caller(errand::proxy<nop> to, std::int64_t& next, std::int64_t last) {
    while (next <= last) {
        const auto id = next++;
        const auto task = co_await to.perform_async(item{id});
        if (task.duplicate()) fail("a task without biz_id was a duplicate");
    }
}

errand::awaitable<void> from_callers(errand::app& app, std::size_t callers, std::int64_t tasks) {
    const auto executor = co_await asio::this_coro::executor;
    const auto to = app.handler<nop>();
    std::int64_t next = 1;
    using operation = decltype(asio::co_spawn(executor, caller(to, next, tasks), asio::deferred));
    std::vector<operation> all;
    for (std::size_t at = 0; at < callers; ++at)
        all.push_back(asio::co_spawn(executor, caller(to, next, tasks), asio::deferred));
    auto [order, failures] = co_await asio::experimental::make_parallel_group(std::move(all))
                                 .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

template <class Handler>
errand::awaitable<void> in_bulk(errand::proxy<Handler> to, std::size_t tasks, std::size_t size) {
    std::vector<item> items;
    for (std::size_t done = 0; done < tasks; done += items.size()) {
        items.resize(std::min(size, tasks - done));
        for (std::size_t at = 0; at < items.size(); ++at)
            items[at].id = static_cast<std::int64_t>(done + at + 1);
        const auto handles = co_await to.perform_bulk(items);
        if (handles.size() != items.size()) fail("fewer handles than items");
    }
}

// The store is reached before the clock runs.
void connect(errand::app& app) { app.block_on(app.find("00000000-0000-0000-0000-000000000000")); }

}  // namespace

result submit(const arguments& how) {
    const auto callers = how.number("callers", 1);
    const auto tasks = how.number("tasks", 20'000);
    errand::app app{callers == 1 ? over_tcp() : over_socket()};
    connect(app);
    const auto from = reading::now();
    app.block_on(from_callers(app, callers, static_cast<std::int64_t>(tasks)));
    return result{}.set(tasks, from, reading::now());
}

result bulk(const arguments& how) {
    const auto tasks = how.number("tasks", 200'000);
    const auto size = how.number("size", 1000);
    errand::app app{over_socket()};
    connect(app);
    errand::options extra;
    if (how.number("delayed", 0) != 0) extra.delay = 24h;
    const auto from = reading::now();
    if (how.number("biz_id", 0) != 0) {
        app.block_on(in_bulk(app.handler<unique_nop>().with(extra), tasks, size));
    } else if (extra.delay) {
        app.block_on(in_bulk(app.handler<nop>().with(extra), tasks, size));
    } else {
        app.block_on(in_bulk(app.handler<nop>(), tasks, size));
    }
    return result{}.set(tasks, from, reading::now());
}

}  // namespace load
