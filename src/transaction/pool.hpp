// The connections of a database: so many at most, the one used last first, those who wait in the order in which they came.
#pragma once

#include <errand/database.hpp>

#include "transaction/driver.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <vector>

namespace errand::sql {

// On the database's thread only.
class pool {
public:
    using clock = std::chrono::steady_clock;

    // `first`: what connections do before they are used, until one has done it; may be empty.
    using greeting = std::function<awaitable<void>(session&)>;

    pool(driver& of, boost::asio::io_context& on, const database_options& options, greeting first)
        : of_{of}, on_{on}, options_{options}, first_{std::move(first)} {}

    struct connection {
        std::unique_ptr<session> in;
        clock::time_point born;
    };

    // Throws store_error: none became free in time, or none could be made.
    awaitable<connection> take();
    // `clean`: it is as it was taken. Others are closed.
    void give_back(connection one, bool clean);
    // Those that are out are closed when they come back.
    void close();

    std::size_t open() const noexcept { return open_; }

private:
    struct idle_one {
        connection of;
        clock::time_point since;
    };
    struct waiting {
        boost::asio::steady_timer timer;
        std::optional<connection> got{};
        bool may_make = false;
    };

    std::optional<idle_one> newest_idle();
    awaitable<bool> lives(session& of);
    awaitable<connection> make();
    awaitable<std::optional<connection>> wait();
    void one_less();
    [[noreturn]] void throw_closed() const;

    driver& of_;
    boost::asio::io_context& on_;
    const database_options options_;
    const greeting first_;
    bool greeted_ = false;
    std::vector<idle_one> idle_;
    std::list<waiting*> line_;
    std::size_t open_ = 0;  // idle, out, or being made
    bool closed_ = false;
};

}  // namespace errand::sql
