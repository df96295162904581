// A pause of a coroutine that asks again. Throws where the coroutine is cancelled.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace errand {

inline awaitable<void> pause_for(std::chrono::milliseconds length) {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, length};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace errand
