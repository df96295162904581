#include "worker/limits_watch.hpp"

#include "runtime/handler_limits.hpp"
#include "worker/announce.hpp"

#include <utility>

namespace errand {

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
