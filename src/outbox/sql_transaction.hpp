// One open transaction of a database: its connection, and the savepoints in it.
//
// Invariant: at most one statement is under way, and only statements of the innermost level are run; those of the levels
// around it wait until it has ended. So what a level undoes is its own.
#pragma once

#include <errand/error.hpp>

#include "client/open_transaction.hpp"
#include "outbox/database_core.hpp"
#include "outbox/same_database.hpp"
#include "runtime/async_gate.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace errand::detail {

// What commit() throws when it may have happened, or not.
struct unknown_outcome final : store_error {
    using store_error::store_error;
};

class sql_transaction {
public:
    // `place`: the loop that its connection is used on.
    sql_transaction(std::shared_ptr<database_core> on, boost::asio::io_context& place);
    ~sql_transaction();
    sql_transaction(const sql_transaction&) = delete;
    sql_transaction& operator=(const sql_transaction&) = delete;

    database_core& on() const noexcept { return *on_; }
    // See open_transaction::locks_store().
    open_transaction::lock_mark locks_store() const noexcept { return locks_store_; }

    // At its place; callers come and go.
    template <class Work>
    auto at_home(Work work) -> std::invoke_result_t<Work&> {
        return on_->run_at(place_, std::move(work));
    }
    // Throws usage_error once it has ended, when its place may be gone. From any thread.
    void check_open() const;
    // All that follows: there. A level is a number that is given once; the outermost is 0.
    awaitable<sql::result> run(std::size_t level, std::string statement, std::vector<sql::value> values);
    awaitable<std::size_t> open_level(std::size_t within);
    // Ends it, with what it has done or without.
    awaitable<void> close_level(std::size_t level, bool keep);
    // The app's store, when it is kept in this database; null: elsewhere. Begins the transaction.
    awaitable<store_inside*> tasks();
    // Submits to tasks() what is to be submitted there, makes the last statements and commits; the connection is free
    // afterwards, however it ended. Nothing happens when there was no statement at all. Throws unknown_outcome when nobody
    // knows whether it has happened.
    awaitable<void> commit(std::vector<sql::statement> last, held_list inside = {});
    // Throws nothing.
    awaitable<void> roll_back();

private:
    class turn;

    awaitable<void> begin();
    awaitable<sql::result> ask(std::vector<sql::statement> all, std::size_t& at);
    awaitable<sql::result> ask(std::string text, std::vector<sql::value> values = {});
    // So many rows of tasks, and what is behind them.
    awaitable<void> send(std::vector<sql::statement> all, std::size_t rows);
    bool is_innermost(std::size_t level) const noexcept { return levels_.back() == level; }
    void free(bool clean);

    const std::shared_ptr<database_core> on_;
    boost::asio::io_context& place_;
    const std::shared_ptr<std::atomic<bool>> locks_store_ = std::make_shared<std::atomic<bool>>(false);
    std::optional<sql::pool::connection> connection_;
    std::vector<std::size_t> levels_{0};
    std::size_t last_level_ = 0;
    bool busy_ = false;
    std::atomic<bool> ended_{false};
    std::exception_ptr lost_;  // why it can only be rolled back
    async_gate changed_;
};

// database_error of a write to errand_outbox, with a word on how the table is made.
[[noreturn]] void throw_not_written(const database_error& why, const database_core& on);

// Where the statements of one body run.
class transaction_level {
public:
    transaction_level(std::shared_ptr<sql_transaction> of, std::size_t at) : of_{std::move(of)}, at_{at} {}

    const std::shared_ptr<sql_transaction>& of() const noexcept { return of_; }
    std::size_t at() const noexcept { return at_; }

private:
    std::shared_ptr<sql_transaction> of_;
    std::size_t at_;
};

}  // namespace errand::detail
