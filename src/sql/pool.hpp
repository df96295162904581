// The connections of a database: so many at most, the one used last first. Who waits gets one in turn; where connections
// cannot be moved, those who wait on its loop go first for a moment.
//
// A connection is used on one loop: it is made for that of whoever takes it, so that statements cost no way to another
// thread. What is idle on one loop is moved to another where the driver can, else closed for a new one.
#pragma once

#include <errand/database.hpp>

#include "sql/driver.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace errand::sql {

// From any thread. A connection that nobody uses is moved and closed under the lock, which a loop that ends has to get, too:
// so it is never touched after its loop.
class pool : public std::enable_shared_from_this<pool> {
public:
    using clock = std::chrono::steady_clock;

    // `first`: what connections do before they are used, until one has done it; may be empty. `passed_over`: so long
    // those who wait on the loop of a connection that cannot be moved may go before others.
    using greeting = std::function<awaitable<void>(session&)>;

    pool(driver& of, const database_options& options, greeting first,
         clock::duration passed_over = std::chrono::milliseconds{50})
        : of_{of}, options_{options}, first_{std::move(first)}, passed_over_{passed_over} {}
    ~pool() { close(); }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    // One of the connections that may be open; others get it when it goes.
    class unit {
    public:
        unit() = default;
        explicit unit(pool& of) : of_{&of} {}
        unit(unit&& other) noexcept : of_{std::exchange(other.of_, nullptr)} {}
        unit& operator=(unit&& other) noexcept {
            std::swap(of_, other.of_);
            return *this;
        }
        ~unit() {
            if (of_) of_->one_less();
        }

    private:
        pool* of_ = nullptr;
    };

    struct connection {
        unit place;
        std::unique_ptr<session> in;  // null: one may be made
        boost::asio::io_context* on = nullptr;
        clock::time_point born{}, since{};  // since when it is idle
    };

    // For use on the loop that the caller is on. Throws store_error: none became free in time, or none could be made.
    awaitable<connection> take(boost::asio::io_context& on);
    // On its loop. `clean`: it is as it was taken. Others are closed.
    void give_back(connection one, bool clean);
    // Whether this loop is to have connections of its own: always where they can be moved, else while there are two for
    // each loop that has, and for the background; or they would be closed and made anew all the time.
    bool admits(boost::asio::io_context& on);
    // The loop ends: what is idle on it is closed.
    void leave(boost::asio::io_context& on);
    // Those that are out are closed when they come back.
    void close();

    // One that is given back in any case; all that is known of it is whether it went well.
    class loan {
    public:
        loan(pool& from, connection lent) : from_{from}, lent_{std::move(lent)} {}
        ~loan() { from_.give_back(std::move(lent_), clean); }
        loan(const loan&) = delete;
        loan& operator=(const loan&) = delete;

        awaitable<result> run(std::string statement, std::vector<value> values = {}) {
            return lent_.in->run(std::move(statement), std::move(values));
        }

        bool clean = false;

    private:
        pool& from_;
        connection lent_;
    };

private:
    // Written under the lock.
    struct waiting {
        boost::asio::io_context& on;
        boost::asio::steady_timer timer;
        clock::time_point since = clock::now();
        std::optional<connection> got{};
    };
    using line = std::list<std::shared_ptr<waiting>>;
    class in_line;

    std::shared_ptr<waiting> fetch(boost::asio::io_context& on, connection& into);
    std::vector<connection>::iterator best_idle(boost::asio::io_context& on);
    awaitable<bool> lives(session& of);
    awaitable<void> make(connection& one);
    awaitable<connection> wait(std::shared_ptr<waiting> place);
    line::iterator next_for(const connection& one);
    bool hand_over(connection& one);
    void one_less();
    static void tell(const std::shared_ptr<waiting>& one);
    [[noreturn]] static void throw_closed();

    driver& of_;
    const database_options options_;
    const greeting first_;
    const clock::duration passed_over_;
    std::atomic<bool> greeted_{false};
    std::mutex guard_;  // of what follows
    std::vector<connection> idle_;
    line line_;
    std::vector<boost::asio::io_context*> admitted_;
    std::size_t open_ = 0;  // idle, out, or being made
    bool closed_ = false;
};

}  // namespace errand::sql
