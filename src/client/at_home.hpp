// Doing something on the loop of whoever asks, from a function that keeps nothing alive itself.
#pragma once

#include "client/home.hpp"
#include "runtime/on_loop.hpp"

#include <boost/asio/this_coro.hpp>

namespace errand {

// `work`: awaitable<T>(loop&); it is kept until that has ended, and must hold what it needs by value.
template <class Work>
auto at_home(detail::app_core* app, Work work) -> std::invoke_result_t<Work&, loop&> {
    auto executor = co_await boost::asio::this_coro::executor;
    co_return co_await on_loop(home_of(executor, *app), std::move(work));
}

}  // namespace errand
