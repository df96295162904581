// Asks the servers of a cluster, one after the other, who has a slot, for a connection that gets no answer from the one that had it: a
// dead or hanging one does not say who its successor is, and to try the others by connecting to each anew costs them far more.
//
// On its executor only. After stop() it ends as soon as the io_context runs, and nothing is told any more.
#pragma once

#include <errand/awaitable.hpp>

#include "store/redis/address.hpp"
#include "store/redis/reply.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/redis/connection.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace errand::redis {

// Who has the slot, by what `asked` answers to a question for a key of it; nothing where it does not know.
std::optional<endpoint> owner_in(const reply& answer, const endpoint& asked);

class slot_scout : public std::enable_shared_from_this<slot_scout> {
public:
    // `key`: a hash of the slot. `found`: hears each answer.
    slot_scout(boost::asio::io_context& on, const address& to, std::string_view key,
               std::function<void(const endpoint&)> found);

    // Until end(). `all`: which are asked, in that order and again from the first one.
    void begin(std::vector<endpoint> all);
    void end();
    void stop();

private:
    awaitable<void> run();
    awaitable<void> ask();

    boost::redis::config config_;
    std::function<void(const endpoint&)> found_;
    bool wanted_ = false, running_ = false, stopped_ = false;
    bool answered_ = false;  // the one that is asked now
    std::vector<endpoint> all_;
    boost::redis::request question_;
    boost::redis::connection connection_;
    boost::asio::steady_timer pause_;
};

}  // namespace errand::redis
