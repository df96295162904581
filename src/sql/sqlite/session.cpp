#include "sql/sqlite/session.hpp"

#include <errand/error.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand::sqlite {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// Not longer than the stores of busy workers wait, or these would always be first.
constexpr auto first_pause = 1ms, longest_pause = 2ms;

[[noreturn]] void throw_busy(const char* why) {
    throw serialization_failure{std::string{"SQLite: the database is locked: "} + why, "SQLITE_BUSY"};
}

}  // namespace

session::~session() {
    attached_.reset();
    // Whatever is open is rolled back by closing it.
    of_.reset();
    leave_turn();
}

void session::leave_turn() {
    if (!has_turn_) return;
    has_turn_ = false;
    turn_->leave();
}

awaitable<void> session::take_turn(moment until) {
    if (!turn_ || has_turn_) co_return;
    has_turn_ = co_await turn_->take(until);
    if (!has_turn_) {
        throw_busy(
            "other transactions of this program did not let it write in time (database_options::busy_wait); "
            "a statement made on the database inside one of its transactions waits for that one: make it on "
            "tx");
    }
}

awaitable<sql::result> session::run(std::string statement, std::vector<sql::value> values) {
    if (!usable_) throw store_error{"SQLite: the connection is closed"};
    const auto until = std::chrono::steady_clock::now() + busy_wait_;
    if (!of_->in_transaction() && of_->writes(statement)) co_await take_turn(until);
    asio::steady_timer timer{co_await asio::this_coro::executor};
    auto pause = first_pause;
    for (;;) {
        bool waits = false;
        try {
            auto got = step(statement, values);
            if (!of_->in_transaction()) leave_turn();
            co_return got;
        } catch (const busy& why) {
            if (why.hopeless) throw_busy("another one has written since this transaction read");
            waits = true;
        } catch (...) {
            if (!of_->in_transaction()) leave_turn();
            throw;
        }
        if (!waits) continue;
        if (std::chrono::steady_clock::now() + pause > until || !turn_) {
            if (!of_->in_transaction()) leave_turn();
            throw_busy(
                "another process writes to the file, and did not end in time (database_options::busy_wait)");
        }
        timer.expires_after(pause);
        pause = std::min(pause * 2, longest_pause);
        try {
            co_await timer.async_wait(asio::use_awaitable);
        } catch (...) {
            if (!of_->in_transaction()) leave_turn();
            throw;
        }
    }
}

// Some errors roll the whole transaction back: what came next would be outside of it.
sql::result session::step(const std::string& statement, const std::vector<sql::value>& values) {
    const bool inside = of_->in_transaction();
    try {
        return of_->run(statement, values);
    } catch (const busy&) {
        throw;
    } catch (const store_error&) {
        usable_ = false;
        throw;
    } catch (...) {
        if (inside && !of_->in_transaction()) usable_ = false;
        throw;
    }
}

}  // namespace errand::sqlite
