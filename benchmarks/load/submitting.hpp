// The ways in which tasks are submitted: in bulk, and from many coroutines at once; and schedules declared.
#pragma once

#include "measure.hpp"
#include "tasks.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <vector>

namespace load {

// The store is reached before the clock runs.
inline void connect(errand::app& app) { app.block_on(app.find("00000000-0000-0000-0000-000000000000")); }

// The items that follow the first `done` of `tasks`, `size` at most; ids count from 1.
inline std::vector<item> next_items(std::size_t done, std::size_t tasks, std::size_t size) {
    std::vector<item> items(std::min(size, tasks - done));
    for (std::size_t at = 0; at < items.size(); ++at) items[at].id = static_cast<std::int64_t>(done + at + 1);
    return items;
}

template <class Handler>
errand::awaitable<void> in_bulk(errand::proxy<Handler> to, std::size_t tasks, std::size_t size) {
    for (std::size_t done = 0; done < tasks; done += size) {
        const auto items = next_items(done, tasks, size);
        const auto handles = co_await to.perform_bulk(items);
        if (handles.size() != items.size()) fail("fewer handles than items");
    }
}

// `callers` coroutines that share the ids: each calls one(id) again and again until none is left.
template <class Call>
errand::awaitable<void> from_callers(std::size_t callers, std::size_t tasks, Call one) {
    namespace asio = boost::asio;
    std::size_t next = 1;
    const auto caller = [&]() -> errand::awaitable<void> {
        while (next <= tasks) co_await one(static_cast<std::int64_t>(next++));
    };
    const auto executor = co_await asio::this_coro::executor;
    std::vector<decltype(asio::co_spawn(executor, caller(), asio::deferred))> all;
    for (std::size_t at = 0; at < callers; ++at)
        all.push_back(asio::co_spawn(executor, caller(), asio::deferred));
    auto [order, failures] = co_await asio::experimental::make_parallel_group(std::move(all))
                                 .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

// Declares the schedule of an id, for `from_callers`: once a day from that time on, its runs into that queue.
template <class Handler>
auto schedule_at(errand::app& app, errand::time_point first, std::string queue) {
    return [to = app.handler<Handler>(), first, queue](std::int64_t id) -> errand::awaitable<void> {
        co_await to.every(std::chrono::hours{24},
                          {.key = queue + std::to_string(id),
                           .begin = first,
                           .mode = errand::fixed_rate,
                           .run = {.queue = queue}},
                          item{id});
    };
}

}  // namespace load
