// Hears from a Sentinel when another server is made the master: the one before goes on for seconds, and all that it accepts until
// it is told is lost.
//
// On its executor only. After stop() it ends as soon as the io_context runs, and nothing is told any more.
#pragma once

#include <errand/awaitable.hpp>

#include "store/redis/address.hpp"
#include "store/redis/place.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/redis/connection.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace errand::redis {

// Whether a message of +switch-master, "name host port host port", is of the master of this name.
bool is_switch_of(std::string_view master, std::string_view message);

class sentinel_ear : public std::enable_shared_from_this<sentinel_ear> {
public:
    sentinel_ear(boost::asio::io_context& on, const address& to, std::function<void()> switched);

    void start();
    void stop();

private:
    awaitable<void> run();
    awaitable<void> receive();

    boost::redis::config config_;
    std::string master_;
    std::function<void()> switched_;
    bool stopped_ = false;
    place place_;
    boost::redis::connection connection_;
    boost::redis::generic_flat_response pushes_;
    boost::asio::steady_timer pause_;
};

}  // namespace errand::redis
