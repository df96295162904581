#include "worker/role.hpp"

#include "core/random.hpp"
#include "worker/announce.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

awaitable<void> role::run() {
    while (!stopped_) {
        std::exception_ptr failure;
        asked_ = steady::time_point::max();
        try {
            co_await pass();
        } catch (...) {
            failure = std::current_exception();
        }
        if (stopped_) break;
        if (failure) {
            announce_failure(app_, name_, failure);
            asked_ = steady::time_point::max();
            co_await wait(duration{500 + static_cast<int>(random_unit() * 1000)});
        } else {
            co_await wait(pause());
        }
    }
}

// What was asked for during the round counts as well.
awaitable<void> role::wait(duration length) {
    next_ = std::min(steady::now() + length, asked_);
    while (!stopped_ && steady::now() < next_) {
        timer_.expires_at(next_);
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

void role::no_later_than(steady::time_point at) {
    asked_ = std::min(asked_, at);
    if (at >= next_) return;
    next_ = at;
    timer_.cancel();
}

void role::stop() {
    stopped_ = true;
    timer_.cancel();
}

}  // namespace errand
