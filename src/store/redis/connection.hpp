// One connection to Redis that comes back by itself, and the pushes that arrive on it.
//
// It lives as long as its two coroutines (the connection's own loop and the receive loop) do; after stop() both end as
// soon as the io_context runs, and the listener hears nothing any more. The receive loop never executes a command.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "store/redis/address.hpp"
#include "store/redis/reply.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/redis/connection.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace errand::redis {

class connection_listener {
public:
    virtual void up() = 0;                          // connected and subscribed; called for each connection
    virtual void down(std::string_view cause) = 0;  // lost, or could not be made; called for each failure
    virtual void message(std::string_view payload) = 0;  // came on a channel

protected:
    ~connection_listener() = default;
};

class connection : public std::enable_shared_from_this<connection> {
public:
    // Hears `channel`, and `of_all`, which others hear as well.
    connection(boost::asio::io_context& on, const address& to, std::string channel, std::string of_all,
               connection_listener& tell);

    void start();
    void stop();

    enum class attempt { answered, aborted };
    // Sends one request and waits for its answer no longer than `limit`. Aborted: it may have been executed or not.
    awaitable<attempt> exec(const boost::redis::request& what, reply& answer, duration limit);

    bool is_up() const noexcept { return up_; }
    bool is_stopped() const noexcept { return tell_ == nullptr; }

private:
    awaitable<void> run();
    awaitable<void> receive();
    void heard_log(std::string_view line);
    void heard_pushes();

    boost::redis::config config_;
    std::string channel_;
    std::string of_all_;
    connection_listener* tell_;  // null once stopped
    bool up_ = false;
    boost::redis::connection connection_;
    boost::redis::generic_flat_response pushes_;
};

}  // namespace errand::redis
