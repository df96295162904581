// Who may write to a file, of the sessions of one database: one after the other, in the order in which they asked.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <list>

namespace errand::sqlite {

// On the database's thread only.
class write_turn {
public:
    explicit write_turn(boost::asio::io_context& on) : on_{on} {}

    // False when it did not come until then. A cancelled wait throws.
    awaitable<bool> take(std::chrono::steady_clock::time_point until);
    void leave();

private:
    struct waiting {
        boost::asio::steady_timer timer;
        bool granted = false;
    };

    boost::asio::io_context& on_;
    bool taken_ = false;
    std::list<waiting*> line_;
};

}  // namespace errand::sqlite
