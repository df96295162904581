// Waiting in a coroutine, by the clock that goes on.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::test {

inline awaitable<void> sleep(duration length) {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, length};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace errand::test
