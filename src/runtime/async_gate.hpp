// A gate on which coroutines of one thread wait: open() lets all that wait pass.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand {

class async_gate {
public:
    explicit async_gate(const boost::asio::any_io_executor& executor)
        : timer_{executor, boost::asio::steady_timer::time_point::max()} {}

    // Until the next open(). A cancelled wait returns as well: the caller looks at what it waits for.
    awaitable<void> wait() { co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable)); }
    void open() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;
};

}  // namespace errand
