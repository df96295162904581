// The same for each of many, side by side.
#pragma once

#include <errand/awaitable.hpp>

#include "runtime/async_gate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace errand {

// Calls `what` with 0 to n-1, `most` of them at a time; throws the first that any of them throws, once all that were begun have
// ended. Not to be cancelled.
//
// On one connection few: each may be answered with arguments and a result of 1 MiB, and Redis hangs up on a connection that listens
// and has 32 MiB of answers to come.
template <class What>
awaitable<void> each_at_once(std::size_t n, What what, std::size_t most = 4) {
    const auto executor = co_await boost::asio::this_coro::executor;
    async_gate ended{executor};
    std::exception_ptr failed;
    std::size_t next = 0;
    std::size_t under_way = std::min(n, most);
    const auto some = [&]() -> awaitable<void> {
        while (next < n && !failed) co_await what(next++);
    };
    for (auto more = under_way; more > 0; --more) {
        boost::asio::co_spawn(executor, some(), [&](const std::exception_ptr& why) {
            if (why && !failed) failed = why;
            if (--under_way == 0) ended.open();
        });
    }
    while (under_way > 0) co_await ended.wait();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace errand
