// On which loop a caller's store calls are made, and doing something there.
#pragma once

#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace errand {

// The loop that the caller runs under, when it is one of this app; else the app's background loop.
inline loop& caller_loop(const boost::asio::any_io_executor& executor, detail::app_core& app) {
    const ambient* around = ambient_of(executor);
    if (around && around->app == &app && around->home) return *around->home;
    return app.background();
}

// What an app stands for where it is used: under a task of one of the namespaces that its worker serves that one, else its own.
// What is tied to a namespace already, as handles are, stays there.
inline detail::app_core& core_for(const boost::asio::any_io_executor& executor, detail::app_core& app) {
    if (!app.serves_several()) return app;
    const ambient* around = ambient_of(executor);
    if (around && around->app && around->app != &app && &around->app->own() == &app) return *around->app;
    return app;
}

// From a function that keeps nothing alive itself: `work`, awaitable<T>(loop&), is kept until it has ended, and must hold
// what it needs by value. In the namespace of this core, whoever calls.
template <class Work>
auto on_loop_of(detail::app_core* app, Work work) -> std::invoke_result_t<Work&, loop&> {
    auto executor = co_await boost::asio::this_coro::executor;
    co_return co_await on_loop(caller_loop(executor, *app), std::move(work));
}

// The same for what an app object was asked: in the namespace that it stands for.
template <class Work>
auto on_caller_loop(detail::app_core* app, Work work) -> std::invoke_result_t<Work&, loop&> {
    auto executor = co_await boost::asio::this_coro::executor;
    co_return co_await on_loop(caller_loop(executor, core_for(executor, *app)), std::move(work));
}

}  // namespace errand
