#include "sql/postgres/refusal.hpp"

#include <errand/error.hpp>

#include "sql/statement_text.hpp"

namespace errand::postgres {
namespace {

std::string_view field(const PGresult* answer, int which) {
    const char* text = PQresultErrorField(answer, which);
    return text ? text : "";
}

// Class 40: serialization failure, deadlock, and their like.
bool is_rolled_back(std::string_view code) { return code.starts_with("40"); }

}  // namespace

bool is_refusal(const PGresult* answer) {
    switch (PQresultStatus(answer)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY: return false;
    default: return true;
    }
}

bool is_copy(const PGresult* answer) {
    const auto status = PQresultStatus(answer);
    return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

bool is_undone_commit(std::string_view statement, PGresult* answer) {
    if (std::string_view{PQcmdStatus(answer)} != "ROLLBACK") return false;
    const auto word = sql::first_word(statement);
    return word == "COMMIT" || word == "END";
}

bool is_outdated(const PGresult* answer) {
    const auto code = field(answer, PG_DIAG_SQLSTATE);
    // "cached plan must not change result type", and "prepared statement does not exist"
    return code == "26000" ||
           (code == "0A000" && field(answer, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery");
}

void refuse(const PGresult* answer, std::string_view statement) {
    std::string code{field(answer, PG_DIAG_SQLSTATE)};
    auto said = sql::one_line(field(answer, PG_DIAG_MESSAGE_PRIMARY));
    if (said.empty()) said = sql::one_line(PQresultErrorMessage(answer));
    const auto text = "PostgreSQL: " + said + " (SQLSTATE " + code + ") in: " + sql::beginning(statement);
    if (is_rolled_back(code) || is_outdated(answer)) throw serialization_failure{text, std::move(code)};
    throw database_error{text, std::move(code)};
}

void lose(const std::string& shown, std::string_view statement, const std::string& why) {
    throw store_error{"the connection to " + shown + " was lost (" + sql::one_line(why) +
                      "), and this may have happened: " + sql::beginning(statement)};
}

}  // namespace errand::postgres
