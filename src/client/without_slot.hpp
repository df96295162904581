// Waiting for other tasks inside a handler, in a worker that has no slot to spare.
#pragma once

#include "runtime/running_task.hpp"

#include <boost/asio/this_coro.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace errand::detail {

// Gives the handler's slot to other tasks while `work` is awaited, on the worker's own thread. Completes, however `work`
// ended, when the slot is back; throws usage_error when too many handlers wait, and what regain_slot() throws.
template <class T>
awaitable<T> without_slot(running_task& task, awaitable<T> work) {
    task.yield_slot();
    std::optional<T> value;
    std::exception_ptr failure;
    try {
        value.emplace(co_await std::move(work));
    } catch (...) {
        failure = std::current_exception();
    }
    // For the whole coroutine, the handler included: put back as it was.
    const bool throws = co_await boost::asio::this_coro::throw_if_cancelled();
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    try {
        co_await task.regain_slot();
    } catch (...) {
        failure = std::current_exception();  // it must not go on, whatever it waited for
    }
    co_await boost::asio::this_coro::throw_if_cancelled(throws);
    if (failure) std::rethrow_exception(failure);
    co_return std::move(*value);
}

}  // namespace errand::detail
