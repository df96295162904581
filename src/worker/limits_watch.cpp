#include "worker/limits_watch.hpp"

#include <errand/error.hpp>

#include "runtime/handler_limits.hpp"
#include "worker/announce.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace errand {

awaitable<bool> declare_limits_if_there(detail::app_core& app, store& in) {
    if (in.shards() > 1) {
        const auto away = co_await in.away();
        if (std::ranges::count(away, shard_of_limits) > 0) co_return false;
    }
    std::exception_ptr failure;
    try {
        announce_limits(app, co_await declare_handler_limits(in));
    } catch (const store_error&) {
        failure = std::current_exception();
    }
    if (!failure) co_return true;
    // It may have gone since.
    if (in.shards() == 1 || (co_await in.away()).empty()) std::rethrow_exception(failure);
    co_return false;
}

awaitable<std::size_t> limits_watch::pass() {
    if (!shared_.limits_are_declared) {
        first_ = false;
        announce_limits(shared_.app, co_await declare_handler_limits(in_));
        shared_.limits_are_declared = true;
        co_return 1;
    }
    if (std::exchange(first_, false)) co_return 0;
    co_return co_await restore_handler_limits(in_);
}

}  // namespace errand
