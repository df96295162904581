// What errand needs of a database: the seam between its transactions and SQLite, PostgreSQL and MySQL.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/sql.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace errand::sql {

struct statement {
    std::string text;
    std::vector<value> values{};
};

// What somebody keeps with a connection as long as that is open.
class attachment {
public:
    virtual ~attachment() = default;
};

// One connection. Used on the thread of the context that it was made for or moved to, by one coroutine at a time; one that
// was adopted: on the thread that uses it. While nothing is under way any thread may move or close it. Its time zone is UTC.
class session {
public:
    virtual ~session() = default;

    // Runs one statement; placeholders are the database's own ($1 or ?), statements are prepared once and kept, the
    // latest hundreds of them. Throws serialization_failure when the database asks for the transaction to be run again,
    // database_error for what else it refuses (a COMMIT that the database made a rollback, too), store_error when the
    // connection is lost: then the statement may have happened. Cancelling the coroutine cancels the statement, after
    // which the session is not usable.
    virtual awaitable<result> run(std::string statement, std::vector<value> values) = 0;

    // Runs them one after the other, none after one that fails, and returns what the last one does: in as few round trips
    // as the protocol allows. `at` is the one that failed, the first when none has left; when the connection was lost, the
    // last of those that may have happened. Its caller keeps `at`.
    virtual awaitable<result> run_all(std::vector<statement> all, std::size_t& at);

    // Null: nothing is kept with it.
    virtual sql::attachment* attachment() noexcept { return nullptr; }

    // It is used on this context from now on. Only where driver::sessions_move().
    virtual void move_to(boost::asio::io_context&) {}

    // False once its connection is lost or in doubt: it is closed, never given back to a pool.
    virtual bool usable() const noexcept = 0;
};

// How sessions are made. Stateless; any thread.
class driver {
public:
    virtual ~driver() = default;

    // "sqlite", "postgres" or "mysql": the folder of its statements.
    virtual std::string_view name() const noexcept = 0;
    // What people are shown of it: without user and password.
    virtual const std::string& shown_url() const noexcept = 0;
    // Its calls block: they are made on a thread that the database has for them, and never on one of the app's loops.
    virtual bool blocks() const noexcept { return false; }
    // run_all() takes fewer round trips than there are statements, where the server can.
    virtual bool sends_together() const noexcept { return false; }
    // A session can be moved to another context.
    virtual bool sessions_move() const noexcept { return false; }
    // Some session may have an attachment.
    virtual bool attaches() const noexcept { return false; }
    // Throws store_error when the database cannot be reached or refuses the login, naming the server but no password.
    virtual awaitable<std::unique_ptr<session>> connect(boost::asio::io_context& on) = 0;
};

}  // namespace errand::sql
