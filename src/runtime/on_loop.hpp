// Doing something on a loop from wherever the caller is: at once when it is there already, else by way of its queue, and
// back on the caller's own executor afterwards.
#pragma once

#include "runtime/loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace errand {

// `work`: awaitable<T>(loop&), called on the loop once its store is open.
template <class Work>
auto on_loop(loop& there, Work work) -> std::invoke_result_t<Work&, loop&> {
    using result = typename std::invoke_result_t<Work&, loop&>::value_type;
    if (there.here()) {
        co_await there.ready();
        co_return co_await work(there);
    }
    using kept = std::optional<std::conditional_t<std::is_void_v<result>, bool, result>>;
    auto call = [](loop& l, Work& w) -> awaitable<kept> {
        co_await l.ready();
        if constexpr (std::is_void_v<result>) {
            co_await w(l);
            co_return true;
        } else {
            co_return co_await w(l);
        }
    };
    auto value =
        co_await boost::asio::co_spawn(there.executor(), call(there, work), boost::asio::use_awaitable);
    if constexpr (!std::is_void_v<result>) co_return std::move(*value);
}

}  // namespace errand
