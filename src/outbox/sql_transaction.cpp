#include "outbox/sql_transaction.hpp"

#include <errand/error.hpp>

#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace errand::detail {

namespace asio = boost::asio;

namespace {

std::string savepoint(std::size_t level) { return "errand_" + std::to_string(level); }

[[noreturn]] void throw_ended() {
    throw usage_error{
        "a statement was made in a transaction that has ended: await everything that uses tx before the "
        "transaction's body returns"};
}

}  // namespace

// Holds the transaction for one statement.
class sql_transaction::turn {
public:
    explicit turn(sql_transaction& of) : of_{of} { of_.busy_ = true; }
    ~turn() {
        of_.busy_ = false;
        of_.changed_.open();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

    static awaitable<void> of_level(sql_transaction& of, std::size_t level) {
        while (of.busy_ || (!of.ended_ && !of.is_innermost(level))) {
            co_await of.changed_.wait();
            co_await asio::this_coro::throw_if_cancelled();
        }
        of.check_open();
        if (std::ranges::find(of.levels_, level) == of.levels_.end()) throw_ended();
        if (of.lost_) std::rethrow_exception(of.lost_);
    }

private:
    sql_transaction& of_;
};

sql_transaction::sql_transaction(std::shared_ptr<database_core> on, asio::io_context& place)
    : on_{std::move(on)}, place_{place}, changed_{place.get_executor()} {}

// Whoever waited for it is gone: closing the connection rolls it back. The place may be about to end itself, but for the
// thread of a driver that blocks: what that does is done there.
sql_transaction::~sql_transaction() {
    if (!connection_ || on_->is_closed()) return;
    if (!on_->has_thread()) {
        free(false);
        return;
    }
    asio::post(place_, [on = on_, left = std::make_shared<sql::pool::connection>(std::move(*connection_))] {
        on->connections().give_back(std::move(*left), false);
    });
}

void sql_transaction::check_open() const {
    if (ended_) throw_ended();
}

void sql_transaction::free(bool clean) {
    *locks_store_ = false;
    if (!connection_) return;
    on_->connections().give_back(std::move(*connection_), clean);
    connection_.reset();
}

// The first of all leave together with BEGIN. After what cannot be gone on with (the database has given the transaction up,
// or the connection is lost) it can only be rolled back.
awaitable<sql::result> sql_transaction::ask(std::vector<sql::statement> all, std::size_t& at) {
    const bool first = !connection_;
    if (first) {
        auto taken = co_await on_->connections().take(place_);
        connection_ = std::move(taken);
        all.insert(all.begin(), {on_->dialect().begin});
    }
    std::exception_ptr failure;
    bool given_up = false;
    std::size_t reached = 0;
    try {
        auto got = co_await connection_->in->run_all(std::move(all), reached);
        if (first) *locks_store_ = tasks_in(*connection_->in) != nullptr;
        co_return got;
    } catch (const serialization_failure&) {
        failure = std::current_exception();
        given_up = true;
    } catch (...) {
        failure = std::current_exception();
    }
    at = first && reached > 0 ? reached - 1 : reached;
    if (first && reached == 0) {
        free(true);  // nothing has begun, and the next statement may have more luck
        std::rethrow_exception(failure);
    }
    *locks_store_ = tasks_in(*connection_->in) != nullptr;
    if (given_up || !connection_->in->usable()) lost_ = failure;
    std::rethrow_exception(failure);
}

awaitable<sql::result> sql_transaction::ask(std::string text, std::vector<sql::value> values) {
    std::size_t at = 0;
    std::vector<sql::statement> one;
    one.push_back({std::move(text), std::move(values)});
    co_return co_await ask(std::move(one), at);
}

awaitable<sql::result> sql_transaction::run(std::size_t level, std::string statement,
                                            std::vector<sql::value> values) {
    co_await turn::of_level(*this, level);
    const turn mine{*this};
    co_return co_await ask(std::move(statement), std::move(values));
}

awaitable<std::size_t> sql_transaction::open_level(std::size_t within) {
    co_await turn::of_level(*this, within);
    const turn mine{*this};
    const auto level = ++last_level_;
    co_await ask("SAVEPOINT " + savepoint(level));
    levels_.push_back(level);
    co_return level;
}

awaitable<void> sql_transaction::close_level(std::size_t level, bool keep) {
    while (busy_) co_await changed_.wait();
    const turn mine{*this};
    const bool innermost = is_innermost(level);
    // Those in it that nobody has ended end with it.
    while (levels_.size() > 1 && std::ranges::find(levels_, level) != levels_.end()) levels_.pop_back();
    if (lost_) {
        if (keep) std::rethrow_exception(lost_);
        co_return;
    }
    if (keep && !innermost) {
        lost_ = std::make_exception_ptr(usage_error{
            "a nested transaction was still open when the body around it returned: await it there"});
        std::rethrow_exception(lost_);
    }
    if (!keep) co_await ask("ROLLBACK TO SAVEPOINT " + savepoint(level));
    co_await ask("RELEASE SAVEPOINT " + savepoint(level));
}

awaitable<void> sql_transaction::begin() {
    if (connection_) co_return;
    std::size_t at = 0;
    co_await ask(std::vector<sql::statement>{}, at);
}

awaitable<store_inside*> sql_transaction::tasks() {
    while (busy_) co_await changed_.wait();
    const turn mine{*this};
    if (lost_) std::rethrow_exception(lost_);
    co_await begin();
    co_return tasks_in(*connection_->in);
}

awaitable<void> sql_transaction::commit(std::vector<sql::statement> last, held_list inside) {
    while (busy_) co_await changed_.wait();
    const turn mine{*this};
    if (!is_innermost(0)) {
        throw usage_error{
            "a nested transaction was still open when the body around it returned: await it there; nothing was "
            "committed"};
    }
    if (lost_) std::rethrow_exception(lost_);
    const bool submits = !last.empty() || !inside.empty();
    if (!connection_ && !submits) {
        ended_ = true;
        co_return;
    }
    if (!inside.empty()) {
        co_await begin();
        co_await submit_inside(on_->app(), *tasks_in(*connection_->in), inside);
    }
    if (!last.empty() && !on_->sends_together()) {
        const auto rows = last.size();
        co_await send(std::exchange(last, {}), rows);
    }
    if (submits) on_->app().events.publish({.kind = event_kind::commit_step, .text = "before commit"});
    const auto rows = last.size();
    last.push_back({on_->dialect().commit});
    co_await send(std::move(last), rows);
    ended_ = true;
    if (!inside.empty()) tasks_in(*connection_->in)->committed();
    free(true);
}

awaitable<void> sql_transaction::send(std::vector<sql::statement> all, std::size_t rows) {
    std::size_t at = 0;
    try {
        co_await ask(std::move(all), at);
    } catch (const serialization_failure&) {
        throw;
    } catch (const database_error& e) {
        if (at < rows) throw_not_written(e, *on_);
        throw;
    } catch (const store_error& e) {
        if (at < rows) throw;
        throw unknown_outcome{
            std::string{
                "the transaction may have been committed, or not: the connection was lost during COMMIT: "} +
            e.what()};
    }
}

awaitable<void> sql_transaction::roll_back() {
    while (busy_) co_await changed_.wait();
    const turn mine{*this};
    ended_ = true;
    if (!connection_) co_return;
    bool clean = false;
    if (connection_->in->usable()) {
        try {
            co_await connection_->in->run(on_->dialect().rollback, {});
            clean = true;
        } catch (...) {
            // A transaction that the database has rolled back itself: a new connection is surely outside of it.
        }
    }
    free(clean);
}

void throw_not_written(const database_error& why, const database_core& on) {
    throw database_error{
        std::string{"the tasks of the transaction cannot be written to errand_outbox, and it is "
                    "rolled back: "} +
            why.what() + " (the table is made by db.install(), or `errand outbox install --db " +
            on.shown_url() + "`)",
        why.code()};
}

awaitable<sql::result> run_statement(std::shared_ptr<transaction_level> in, std::string statement,
                                     std::vector<sql::value> values) {
    // The tx of an outer body that is used in an inner one takes part in that.
    const ambient* around = ambient_of(co_await asio::this_coro::executor);
    auto at = in->at();
    if (around && around->transaction) {
        const auto& inner = around->transaction->level();
        if (inner && inner->of() == in->of()) at = std::max(at, inner->at());
    }
    const auto of = in->of();
    of->check_open();
    co_return co_await of->at_home([&] { return of->run(at, std::move(statement), std::move(values)); });
}

}  // namespace errand::detail
