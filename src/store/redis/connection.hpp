// One connection to Redis that comes back by itself, and the pushes that arrive on it.
//
// A call waits for its answer as long as the connection lives; whether it lives is judged by the bytes that move on it,
// in either direction, and not by how long an answer takes: a large one takes its time on a slow line. No call is handed
// to a connection before its setup was answered, so none runs on a server that the setup refuses.
//
// On a cluster it is one to the server that has the shard's slot, and follows it: whoever is asked instead says where that is, before
// anything is subscribed to, and a subscription says when it ends because the slot has gone. Behind Sentinels it is one to the
// server that they call the master, also when the one before is still there, and never to one that says that it is none.
//
// It lives as long as its coroutines (the connection's own loop, the receive loop and the watch) do; after stop() they end
// as soon as the io_context runs, and the listener hears nothing any more. The receive loop never executes a command.
// On its executor only.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "store/redis/address.hpp"
#include "store/redis/master_choice.hpp"
#include "store/redis/place.hpp"
#include "store/redis/reply.hpp"
#include "store/redis/sentinel_watch.hpp"
#include "store/redis/slot_scout.hpp"
#include "store/redis/socket_bytes.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/redis/connection.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    // Hears `channel`, and `of_all`, which others hear as well. `check`: commands of the setup; one that answers with an error
    // refuses the server.
    connection(boost::asio::io_context& on, const address& to, std::string channel, std::string of_all,
               const boost::redis::request& check, connection_listener& tell);

    void start();
    void stop();

    using time_limit = std::optional<std::chrono::steady_clock::time_point>;
    enum class attempt { answered, aborted, not_sent };
    // Sends one request and waits for its answer until then. Aborted: it may have been executed or not. Not sent: there
    // is no connection, and an attempt to make one has failed or the time is up.
    awaitable<attempt> exec(const boost::redis::request& request, reply& answer, time_limit until);
    // Closes the connection and makes a new one, which may reach another server.
    void drop(std::string_view cause);
    // The same when what is in flight was answered: the server lives, and says of each call itself whether it did it.
    void leave(std::string_view cause);
    // The same, to the server that this error names.
    void follow(std::string_view error);

    // How a request has to be made for exec(): one that was not sent when its connection is lost is not sent behind the
    // setup of the next.
    static boost::redis::request request();

    bool is_up() const noexcept { return up_; }
    // Of a cluster: the one that it is a connection to, or is made to next.
    std::optional<endpoint> server() const { return place_ ? std::optional{place_->at()} : std::nullopt; }
    bool is_stopped() const noexcept { return tell_ == nullptr; }
    // Calls that wait for their answers.
    unsigned in_flight() const noexcept { return in_flight_; }

private:
    awaitable<void> run();
    awaitable<void> receive();
    awaitable<void> watch();
    awaitable<void> ping();
    awaitable<void> learn();
    std::chrono::milliseconds look_interval() const;
    class call_in_flight;
    enum class calls_in_flight : unsigned char { lost, answered };
    void renew(std::string_view cause, calls_in_flight what);
    awaitable<void> let_answer();
    bool is_silent() const;
    void give_up_place();
    void look_for_owner();
    void hear_scout(const endpoint& owner);
    void choose_place(std::string_view line);
    void come_up();
    void spawn(awaitable<void> (connection::*part)());
    awaitable<void> confirm();
    awaitable<bool> is_master_here();
    awaitable<bool> is_elsewhere(endpoint server);
    awaitable<void> leave_deposed();
    void leave_for_another();
    void hear_sentinel(std::size_t which, const named_master& what);
    void hear_push(std::string_view kind, std::string_view channel, std::string_view payload);
    awaitable<void> change(time_limit until);
    socket_bytes moved();
    void changed();
    void heard_log(std::string_view line);
    void heard_pushes();

    boost::redis::config config_;
    std::optional<place> place_;  // of a cluster
    std::string channel_;
    std::string of_all_;
    connection_listener* tell_;  // null once stopped
    bool up_ = false;
    bool dropping_ = false;  // until it is made anew
    bool chosen_ = false;    // where it is made then, after what it failed of
    bool sent_on_ = false;   // as somebody has said so
    bool pinging_ = false;
    bool pausing_ = false;  // until it is made anew
    unsigned tries_ = 0;    // to make it, since it was there last
    unsigned made_ = 0;     // how often one was begun to be made
    unsigned in_flight_ = 0;
    unsigned quiet_ = 0;  // looks in a row that saw nothing move
    boost::redis::connection connection_;
    boost::redis::generic_flat_response pushes_;
    boost::redis::request ping_;
    reply pong_;
    boost::asio::steady_timer change_;  // cancelled whenever it comes up or fails
    boost::asio::steady_timer look_;
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer answered_;  // cancelled when nothing is in flight any more
    // On a cluster:
    std::shared_ptr<slot_scout> scout_;
    std::vector<endpoint> failed_;  // tried in vain since it was there last
    // Behind Sentinels:
    std::vector<std::shared_ptr<sentinel_watch>> sentinels_;  // of each
    std::optional<master_choice> masters_;
    bool left_for_it_ = false;  // what the Sentinels said last has had its effect
    unsigned subscribed_ =
        0;  // grows with each subscription, each loss, and with what they say while it is asked:
    bool confirming_ = false;  // whether its server is a master, and the right one
};

}  // namespace errand::redis
