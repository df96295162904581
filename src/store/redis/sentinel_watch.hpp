// Hears from one Sentinel who is the master, and when another server is made that: the one before goes on for seconds, and all that it
// accepts until it is told is lost. What was said while it could not be heard is asked for when it can be again.
//
// On its executor only. After stop() it ends as soon as the io_context runs, and nothing is told any more.
#pragma once

#include <errand/awaitable.hpp>

#include "store/redis/address.hpp"
#include "store/redis/master_choice.hpp"
#include "store/redis/reply.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/redis/connection.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace errand::redis {

// Whether a message of +switch-master, "name host port host port", is of the master of this name.
bool is_switch_of(std::string_view master, std::string_view message);

// What a Sentinel answers to SENTINEL MASTER; nothing where that is something else.
std::optional<named_master> master_in(const reply& answer);

class sentinel_watch : public std::enable_shared_from_this<sentinel_watch> {
public:
    // `told`: hears who is the master as far as `sentinel` knows, as soon as it can be asked and whenever that changes.
    sentinel_watch(boost::asio::io_context& on, const address& to, const endpoint& sentinel,
                   std::function<void(const named_master&)> told);

    void start();
    void stop();

private:
    awaitable<void> run();
    awaitable<void> receive();
    awaitable<void> ask();
    void hear(std::string_view kind, std::string_view payload);

    boost::redis::config config_;
    std::string master_;
    std::function<void(const named_master&)> told_;
    bool stopped_ = false;
    bool asking_ = false, once_more_ = false;
    boost::redis::connection connection_;
    boost::redis::generic_flat_response pushes_;
    boost::asio::steady_timer pause_;
};

}  // namespace errand::redis
