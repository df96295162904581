#include "sql/mysql/session.hpp"

#include <errand/error.hpp>

#include "sql/mysql/refusal.hpp"
#include "sql/mysql/values.hpp"
#include "sql/statement_text.hpp"

#include <algorithm>
#include <array>

namespace errand::mysql {
namespace {

namespace asio = boost::asio;
namespace db = boost::mysql;

// Whether autocommit may be another one afterwards: by the statement itself, or by a procedure that it calls. What reads or
// changes rows cannot, nor the functions and triggers in it.
bool may_change_mode(std::string_view statement) {
    static constexpr std::array<std::string_view, 5> ends{"COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE",
                                                          "START"};
    return !sql::is_worth_keeping(statement) &&
           std::ranges::find(ends, sql::first_word(statement)) == ends.end();
}

bool is_begin(std::string_view statement) { return statement == "BEGIN" || statement == "START TRANSACTION"; }

}  // namespace

// While it lives, a statement is under way; left without landed(), nobody knows what the connection would say next.
class session::under_way {
public:
    explicit under_way(session& of) : of_{of} {}
    under_way(const under_way&) = delete;
    under_way& operator=(const under_way&) = delete;
    ~under_way() {
        if (!landed_ && !of_.broken_) of_.give_up();
    }
    void landed() noexcept { landed_ = true; }

private:
    session& of_;
    bool landed_ = false;
};

session::session(std::shared_ptr<const destination> there, std::unique_ptr<db::any_connection> own,
                 std::size_t keep)
    : there_{std::move(there)},
      own_{std::move(own)},
      keeps_{keep > 0},
      connection_{*own_},
      was_mode_{connection_.meta_mode()},
      statements_{keep} {}

session::session(db::any_connection& adopted)
    : keeps_{false}, connection_{adopted}, was_mode_{adopted.meta_mode()}, statements_{1} {
    connection_.set_meta_mode(db::metadata_mode::full);
}

session::~session() {
    if (!own_) {
        connection_.set_meta_mode(was_mode_);
        return;
    }
    // A goodbye of a few bytes, so that the server does not count a client that vanished. TLS would wait for an answer.
    db::error_code ignored;
    if (!broken_ && !there_->tls) connection_.close(ignored, said_);
}

awaitable<sql::result> session::run(std::string statement, std::vector<sql::value> values) {
    if (broken_) throw store_error{"a session was used after its connection was lost"};
    under_way guard{*this};
    sql::result got;
    std::exception_ptr refused;
    try {
        if (own_ && !inside_) co_await commit_each(true);
        if (may_change_mode(statement)) commits_each_.reset();
        got = co_await execute(statement, values);
        if (statement == "COMMIT" || statement == "ROLLBACK") inside_ = false;
    } catch (const database_error&) {
        refused = std::current_exception();
    }
    if (!own_) co_await close_spent();
    guard.landed();
    if (refused) std::rethrow_exception(refused);
    co_return got;
}

awaitable<sql::result> session::run_all(std::vector<sql::statement> all, std::size_t& at) {
    at = 0;
    const bool begins = own_ && !all.empty() && is_begin(all.front().text);
    if (begins) co_await begin();
    at = begins ? 1 : 0;
    const bool commits = own_ && inside_ && all.size() - at == 2 && all.back().text == "COMMIT";
    if (commits && co_await commit_behind(all[at], at)) co_return sql::result{};
    sql::result got;
    for (; at < all.size(); ++at) got = co_await run(std::move(all[at].text), std::move(all[at].values));
    co_return got;
}

// MariaDB prepares a block: one round trip for both, and it ends where a statement in it is refused. False: this server does
// not, and nothing has happened.
awaitable<bool> session::commit_behind(const sql::statement& last, std::size_t& at) {
    if (broken_ || !takes_blocks_ || !sql::is_worth_keeping(last.text)) co_return false;
    const auto block = "BEGIN NOT ATOMIC " + last.text + "; COMMIT; END";
    under_way guard{*this};
    std::exception_ptr refused;
    bool prepares = false;
    try {
        co_await prepared(block, true);
        prepares = true;
        ++at;
        co_await execute_prepared(block, last.values, true);
        inside_ = false;
    } catch (const database_error&) {
        refused = std::current_exception();
        if (prepares) --at;
    }
    guard.landed();
    if (!prepares) takes_blocks_ = false;
    if (refused && prepares) std::rethrow_exception(refused);
    co_return prepares;
}

// The transaction begins with its first statement, so that most cost no round trip for it.
awaitable<void> session::begin() {
    if (broken_) throw store_error{"a session was used after its connection was lost"};
    under_way guard{*this};
    std::exception_ptr refused;
    try {
        co_await commit_each(false);
        inside_ = true;
    } catch (const database_error&) {
        refused = std::current_exception();
    }
    guard.landed();
    if (refused) std::rethrow_exception(refused);
}

awaitable<void> session::commit_each(bool statement) {
    if (commits_each_ == statement) co_return;
    commits_each_.reset();
    co_await execute(statement ? "SET autocommit = 1" : "SET autocommit = 0", {});
    commits_each_ = statement;
}

awaitable<sql::result> session::execute(const std::string& statement, const std::vector<sql::value>& values) {
    const bool keep = keeps_ && sql::is_worth_keeping(statement);
    if (keep || !values.empty()) co_return co_await execute_prepared(statement, values, keep);
    db::execution_state state;
    const auto [failed] = co_await connection_.async_start_execution(statement, state, said_, token);
    check(failed, statement);
    co_return co_await results_of(state, statement);
}

awaitable<sql::result> session::execute_prepared(const std::string& statement,
                                                 const std::vector<sql::value>& values, bool keep) {
    const auto one = co_await prepared(statement, keep);
    const auto fields = fields_of(values);
    db::execution_state state;
    const auto [failed] = co_await connection_.async_start_execution(one.bind(fields.begin(), fields.end()),
                                                                     state, said_, token);
    if (failed && !keep) spent_.push_back(one);
    check(failed, statement);
    auto got = co_await results_of(state, statement);
    if (!keep) spent_.push_back(one);
    co_return got;
}

awaitable<sql::result> session::results_of(db::execution_state& state, std::string_view statement) {
    sql::result got;
    add_columns(got, state.meta());
    got.affected = state.complete() ? state.affected_rows() : 0;
    bool first = true;  // a procedure returns several results: the first is the one that counts
    while (!state.complete()) {
        if (state.should_read_head()) {
            first = false;
            const auto [failed] = co_await connection_.async_read_resultset_head(state, said_, token);
            check(failed, statement);
        } else {
            const auto [failed, rows] = co_await connection_.async_read_some_rows(state, said_, token);
            check(failed, statement);
            if (first) add_rows(got, rows, state.meta());
        }
    }
    co_return got;
}

awaitable<db::statement> session::prepared(const std::string& statement, bool keep) {
    if (keep) {
        if (const auto* known = statements_.find(statement)) co_return *known;
    }
    co_await close_spent();
    const auto [failed, made] = co_await connection_.async_prepare_statement(statement, said_, token);
    check(failed, statement);
    if (keep) {
        if (auto gone = statements_.add(statement, made)) spent_.push_back(*gone);
    }
    co_return made;
}

awaitable<void> session::close_spent() {
    while (!spent_.empty()) {
        const auto one = spent_.back();
        spent_.pop_back();
        const auto [failed] = co_await connection_.async_close_statement(one, said_, token);
        check(failed, "closing a prepared statement");
    }
}

void session::check(const db::error_code& failed, std::string_view statement) {
    if (!failed) return;
    if (failed != asio::error::operation_aborted && ends_connection(failed)) broken_ = true;
    refuse(failed, said_, there_ ? there_->to.shown : "the adopted MySQL connection", statement);
}

// The server would go on with the statement, whose locks nobody needs any more.
void session::give_up() noexcept {
    broken_ = true;
    const auto id = connection_.connection_id();
    if (there_ && id) kill(there_, *id);
}

}  // namespace errand::mysql
