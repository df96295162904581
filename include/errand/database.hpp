#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/sql_row.hpp>
#include <errand/detail/sql_value.hpp>
#include <errand/sql.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace errand {

class app;

/// How a database is connected; every member has a default.
struct database_options {
    /// So many connections at most; 1..1000. A transaction has one from its first statement to its end.
    std::size_t connections = 10;
    /// How long a statement waits for a free connection, then `store_error`.
    duration wait = std::chrono::seconds{10};
    /// How long SQLite waits for another one that writes to the file, then `serialization_failure`.
    duration busy_wait = std::chrono::seconds{5};
    /// A connection that was idle for so long is asked for a sign of life before it is used.
    duration check_after = std::chrono::seconds{30};
    /// A connection older than this is closed when it is given back.
    duration max_age = std::chrono::minutes{30};
    /// Whether the first connection makes the tables errand_outbox and errand_inbox where they are missing. A user who may
    /// not make tables has them made once by `install()` or `errand outbox install`.
    bool install = true;
};

namespace detail {
class database_core;
class transaction_level;
class joined_state;

awaitable<sql::result> run_statement(std::shared_ptr<database_core> on, std::string statement,
                                     std::vector<sql::value> values);
awaitable<sql::result> run_statement(std::shared_ptr<transaction_level> in, std::string statement,
                                     std::vector<sql::value> values);

template <class Where>
awaitable<std::uint64_t> execute_on(Where where, std::string statement, std::vector<sql::value> values) {
    const auto got = co_await run_statement(std::move(where), std::move(statement), std::move(values));
    co_return got.affected;
}

template <class Row, class Where>
awaitable<std::vector<Row>> query_on(Where where, std::string statement, std::vector<sql::value> values) {
    const auto got = co_await run_statement(std::move(where), std::move(statement), std::move(values));
    co_return rows_in<Row>(got);
}
}  // namespace detail

/// A database that errand works with: `errand::sqlite::database`, `errand::postgres::database`,
/// `errand::mysql::database`. Statements run here are each a transaction of their own; for more than one, and for tasks
/// that are to be submitted together with what they write, there is `errand::transaction(db, body)`.
///
/// Any thread and any coroutine may use it, several at once. It must outlive the transactions on it, and its app must
/// outlive it (a bean of that app may be one). While it lives, the app's worker delivers what its outbox was left with.
///
/// Parameters are numbers, bool, enums (by name when described with Boost.Describe, else by value), text, `std::chrono`
/// times (a point in time as UTC text "2026-11-21 10:00:00.000", a length as its count), `sql::bytes`,
/// `boost::json::value` (its text) and `std::optional` of these (`std::nullopt` is NULL). Placeholders are the
/// database's own: `$1` for PostgreSQL, `?` for MySQL and MariaDB, either for SQLite.
///
/// `query<Row>` reads each row as a Row:
/// - an aggregate: each member from the column of its name, whatever the case and the order; when some member has no such
///   column and there are as many columns as members, all of them by position;
/// - a `std::tuple` or `std::pair`: by position;
/// - one of the types that parameters have (`std::string`, `std::int64_t`, `std::optional<double>`, …): the only column;
/// - `std::vector<sql::value>`: all columns as they come.
///
/// What does not fit is `bad_data` naming column and row: NULL where the type is not `std::optional`, a number out of
/// range, text that is no number. Times are read from what databases print, and from milliseconds since 1970.
class database {
public:
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    /// Runs one statement. One round trip.
    /// @return the number of rows that it inserted, changed or deleted
    /// @throws database_error when the database refuses it; serialization_failure when others were in its way;
    ///         store_error when no connection is to be had or it is lost: then the statement may have happened
    template <class... P>
    [[nodiscard]] awaitable<std::uint64_t> execute(std::string statement, const P&... parameters) {
        return detail::execute_on(core_, std::move(statement), detail::parameters_of(parameters...));
    }

    /// Runs one statement that returns rows. One round trip.
    /// @throws bad_data when a row is no Row; else as execute()
    template <class Row, class... P>
    [[nodiscard]] awaitable<std::vector<Row>> query(std::string statement, const P&... parameters) {
        return detail::query_on<Row>(core_, std::move(statement), detail::parameters_of(parameters...));
    }

    /// Makes the tables errand_outbox and errand_inbox where they are missing, as `errand outbox install` does.
    /// @throws database_error when this user may not make tables; store_error
    [[nodiscard]] awaitable<void> install();

    /// Its URL, without the password.
    [[nodiscard]] const std::string& url() const noexcept;

    /// For errand itself.
    [[nodiscard]] const std::shared_ptr<detail::database_core>& core() const noexcept { return core_; }

    /// Delivers what was committed last, for two seconds at most, and closes the connections. What is left in the outbox
    /// by then a worker delivers.
    virtual ~database();

protected:
    explicit database(std::shared_ptr<detail::database_core> core) noexcept : core_{std::move(core)} {}

private:
    std::shared_ptr<detail::database_core> core_;
};

/// An open transaction of a database: what the body of `errand::transaction(db, body)` is given as `auto& tx`. It is
/// valid until the body returns. Branches that run at once may use it; their statements run one after the other.
class database_transaction {
public:
    /// Made by errand.
    explicit database_transaction(std::shared_ptr<detail::transaction_level> level) noexcept
        : level_{std::move(level)} {}
    database_transaction(const database_transaction&) = delete;
    database_transaction& operator=(const database_transaction&) = delete;

    /// Runs one statement in the transaction. One round trip; the first one begins the transaction (one more on MySQL).
    /// @return the number of rows that it inserted, changed or deleted
    /// @throws as database::execute(); usage_error once the transaction has ended. After a serialization_failure or a
    ///         store_error the transaction can only be rolled back; PostgreSQL wants that after a database_error too
    template <class... P>
    [[nodiscard]] awaitable<std::uint64_t> execute(std::string statement, const P&... parameters) {
        return detail::execute_on(level_, std::move(statement), detail::parameters_of(parameters...));
    }

    /// Runs one statement that returns rows; see database.
    /// @throws bad_data when a row is no Row; else as execute()
    template <class Row, class... P>
    [[nodiscard]] awaitable<std::vector<Row>> query(std::string statement, const P&... parameters) {
        return detail::query_on<Row>(level_, std::move(statement), detail::parameters_of(parameters...));
    }

    /// For errand itself.
    [[nodiscard]] const std::shared_ptr<detail::transaction_level>& level() const noexcept { return level_; }

private:
    std::shared_ptr<detail::transaction_level> level_;
};

}  // namespace errand
