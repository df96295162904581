// The connections of a database: so many at most, the one used last first, those who wait in the order in which they came.
//
// A connection is used on one loop: it is made for that of whoever takes it, so that statements cost no way to another
// thread. What is idle on one loop is moved to another where the driver can, else closed for a new one.
#pragma once

#include <errand/database.hpp>

#include "transaction/driver.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace errand::sql {

// From any thread. An idle connection is used by nobody, so whoever has the lock may move or close it.
class pool : public std::enable_shared_from_this<pool> {
public:
    using clock = std::chrono::steady_clock;

    // `first`: what connections do before they are used, until one has done it; may be empty.
    using greeting = std::function<awaitable<void>(session&)>;

    pool(driver& of, const database_options& options, greeting first)
        : of_{of}, options_{options}, first_{std::move(first)} {}

    struct connection {
        std::unique_ptr<session> in;
        boost::asio::io_context* on = nullptr;
        clock::time_point born{};
    };

    // For use on the loop that the caller is on. Throws store_error: none became free in time, or none could be made.
    awaitable<connection> take(boost::asio::io_context& on);
    // `clean`: it is as it was taken. Others are closed.
    void give_back(connection one, bool clean);
    // The loop ends: what is idle on it is closed.
    void leave(boost::asio::io_context& on);
    // Those that are out are closed when they come back.
    void close();

private:
    struct idle_one {
        connection of;
        clock::time_point since;
    };
    // Written under the lock.
    struct waiting {
        boost::asio::io_context& on;
        boost::asio::steady_timer timer;
        clock::time_point since = clock::now();
        std::optional<connection> got{};
        bool may_make = false;
    };
    class in_line;
    // One of them: an idle connection, the right to make one, or a place in the line.
    struct share {
        std::optional<idle_one> found{};
        std::optional<connection> in_its_place{};  // it is closed for the one that may be made
        bool may_make = false;
        std::shared_ptr<waiting> place{};
    };

    share next_share(boost::asio::io_context& on);
    std::optional<idle_one> newest_idle(boost::asio::io_context& on);
    awaitable<bool> lives(session& of);
    awaitable<connection> make(boost::asio::io_context& on);
    awaitable<std::optional<connection>> wait(std::shared_ptr<waiting> place);
    std::shared_ptr<waiting> next_for(const connection& one);
    void one_less();
    void let_one_make();
    static void tell(const std::shared_ptr<waiting>& one);
    [[noreturn]] void throw_closed() const;

    driver& of_;
    const database_options options_;
    const greeting first_;
    std::atomic<bool> greeted_{false};
    std::mutex guard_;  // of what follows
    std::vector<idle_one> idle_;
    std::list<std::shared_ptr<waiting>> line_;
    std::size_t open_ = 0;  // idle, out, or being made
    bool closed_ = false;
};

}  // namespace errand::sql
