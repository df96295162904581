#include "sql/postgres/session.hpp"

#include <errand/error.hpp>

#include "sql/postgres/refusal.hpp"
#include "sql/request_thread.hpp"
#include "sql/statement_text.hpp"

#include <array>
#include <memory>
#include <utility>

namespace errand::postgres {
namespace {

// The request goes over a connection of its own, and libpq blocks until the server has taken it.
void cancel_at_server(PGconn* connection) {
    const std::shared_ptr<PGcancel> by{PQgetCancel(connection), PQfreeCancel};
    if (!by) return;
    sql::on_request_thread([by] {
        std::array<char, 256> why{};
        PQcancel(by.get(), why.data(), static_cast<int>(why.size()));  // in vain when it has ended
    });
}

}  // namespace

session::under_way::~under_way() {
    // Statements that are not prepared are refused before they are sent, and then nothing is under way.
    if (PQtransactionStatus(of_.connection_) != PQTRANS_ACTIVE) return;
    of_.broken_ = true;
    try {
        cancel_at_server(of_.connection_);
    } catch (...) {
        // Out of memory: the server finds out when it has something to say.
    }
}

session::session(boost::asio::io_context& on, connection_ptr own, std::string shown, std::size_t keep)
    : own_{std::move(own)},
      connection_{own_.get()},
      shown_{std::move(shown)},
      socket_{on.get_executor()},
      keeps_{keep > 0},
      names_{keep} {
    socket_.watch(PQsocket(connection_));
}

session::session(const boost::asio::any_io_executor& on, PGconn* adopted)
    : connection_{adopted},
      shown_{"the adopted PostgreSQL connection"},
      socket_{on},
      keeps_{false},
      names_{1} {
    if (PQstatus(adopted) != CONNECTION_OK) throw usage_error{"the adopted PGconn is not connected"};
    if (PQpipelineStatus(adopted) != PQ_PIPELINE_OFF)
        throw usage_error{"the adopted PGconn is in pipeline mode"};
    was_nonblocking_ = PQisnonblocking(adopted) != 0;
    PQsetnonblocking(adopted, 1);
    socket_.watch(PQsocket(adopted));
}

session::~session() {
    if (!own_ && !was_nonblocking_) PQsetnonblocking(connection_, 0);
}

void session::move_to(boost::asio::io_context& on) { socket_.move_to(on.get_executor()); }

bool session::usable() const noexcept {
    if (broken_) return false;
    // A goodbye from the server lies in the socket, before its end: the first look reads it, the second finds the end.
    return PQconsumeInput(connection_) && PQconsumeInput(connection_) &&
           PQstatus(connection_) == CONNECTION_OK;
}

awaitable<sql::result> session::run(std::string statement, std::vector<sql::value> values) {
    if (broken_) throw store_error{"a session of " + shown_ + " was used after its connection was lost"};
    if (statement.find('\0') != statement.npos)
        throw database_error{"a statement with a zero byte (SQLSTATE 42601)", "42601"};
    const parameters with{values};
    const under_way guard{*this};
    const auto answer = co_await execute(statement, with);
    check(answer.get(), statement);
    co_return rows_of(answer.get());
}

void session::check(PGresult* answer, std::string_view statement) {
    if (is_copy(answer)) {
        broken_ = true;
        throw database_error{"COPY is not done here (SQLSTATE 0A000): " + sql::beginning(statement), "0A000"};
    }
    if (is_refusal(answer)) refuse(answer, statement);
    if (!is_undone_commit(statement, answer)) return;
    throw database_error{"PostgreSQL: the transaction had failed and was rolled back (SQLSTATE 25P02) in: " +
                             sql::beginning(statement),
                         "25P02"};
}

awaitable<result_ptr> session::execute(const std::string& statement, const parameters& with) {
    if (!keeps_ || !sql::is_worth_keeping(statement)) co_return co_await once(statement.c_str(), with);
    const bool alone = PQtransactionStatus(connection_) == PQTRANS_IDLE;
    auto answer = co_await execute_kept(statement, with);
    // Outside a transaction nothing has happened but that a table has changed: it is prepared anew.
    if (alone && is_refusal(answer.get()) && is_outdated(answer.get()))
        answer = co_await execute_kept(statement, with);
    co_return answer;
}

awaitable<result_ptr> session::execute_kept(const std::string& statement, const parameters& with) {
    const auto key = with.signature() + statement;
    const auto name = co_await prepared(key, statement, with);
    sent(PQsendQueryPrepared(connection_, name.c_str(), with.count(), with.values(), with.lengths(),
                             with.formats(), 0),
         statement);
    auto answer = co_await answer_to(statement);
    if (is_refusal(answer.get()) && is_outdated(answer.get())) {
        names_.remove(key);
        left_.push_back(name);
    }
    co_return answer;
}

awaitable<result_ptr> session::once(const char* statement, const parameters& with) {
    sent(PQsendQueryParams(connection_, statement, with.count(), with.types(), with.values(), with.lengths(),
                           with.formats(), 0),
         statement);
    co_return co_await answer_to(statement);
}

// The name under which the server knows the statement, told to it first when it does not.
awaitable<std::string> session::prepared(const std::string& key, const std::string& statement,
                                         const parameters& with) {
    if (const auto* known = names_.find(key)) co_return *known;
    co_await close_left();
    auto name = "errand_" + std::to_string(++last_name_);
    sent(PQsendPrepare(connection_, name.c_str(), statement.c_str(), with.count(), with.types()), statement);
    const auto answer = co_await answer_to(statement);
    if (is_refusal(answer.get())) refuse(answer.get(), statement);
    if (auto gone = names_.add(key, name)) left_.push_back(std::move(*gone));
    co_return name;
}

// In a failed transaction the server does nothing but end it; what is left waits for a better time.
awaitable<void> session::close_left() {
    while (!left_.empty() && PQtransactionStatus(connection_) != PQTRANS_INERROR) {
        const auto statement = "DEALLOCATE " + left_.back();
        left_.pop_back();
        co_await once(statement.c_str(), parameters{{}});
    }
}

void session::sent(int accepted, std::string_view statement) {
    if (accepted) return;
    const std::string why = PQerrorMessage(connection_);
    if (PQstatus(connection_) == CONNECTION_OK)
        throw database_error{"PostgreSQL: " + sql::one_line(why) + " in: " + sql::beginning(statement), ""};
    broken_ = true;
    lose(shown_, statement, why);
}

// What the server says of one statement: its last word, or the first refusal.
awaitable<result_ptr> session::answer_to(std::string_view statement) {
    co_await flushed(statement);
    co_return co_await last_result(statement);
}

awaitable<void> session::flushed(std::string_view statement) {
    // The server reads a statement whole before it answers, so nothing has to be read until all is written.
    for (int left; (left = PQflush(connection_)) != 0;) {
        if (left < 0) {
            broken_ = true;
            lose(shown_, statement, PQerrorMessage(connection_));
        }
        co_await socket_.writable();
    }
}

awaitable<result_ptr> session::last_result(std::string_view statement) {
    result_ptr last;
    while (auto next = co_await next_result(statement, last.get())) {
        if (!last || !is_refusal(last.get())) last = std::move(next);
        if (is_copy(last.get())) break;
    }
    if (PQstatus(connection_) != CONNECTION_OK) {
        broken_ = true;
        lose(shown_, statement, PQerrorMessage(connection_));
    }
    co_return last;
}

awaitable<result_ptr> session::next_result(std::string_view statement, const PGresult* before) {
    while (PQisBusy(connection_)) {
        co_await socket_.readable();
        if (PQconsumeInput(connection_)) continue;
        broken_ = true;
        // The server's own goodbye says more than that the line is dead.
        lose(shown_, statement,
             before && is_refusal(before) ? PQresultErrorMessage(before) : PQerrorMessage(connection_));
    }
    co_return result_ptr{PQgetResult(connection_)};
}

}  // namespace errand::postgres
