// What the server or libpq says against a statement, as errand's errors.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

namespace errand::postgres {

bool is_refusal(const PGresult* answer);
bool is_copy(const PGresult* answer);
// A COMMIT of a transaction in which a statement was refused is a rollback, and no error to the server.
bool is_undone_commit(std::string_view statement, PGresult* answer);

// Whether a prepared statement is no longer what it was: its tables changed, or the server forgot it.
bool is_outdated(const PGresult* answer);

// Throws serialization_failure or database_error, with the beginning of the statement.
[[noreturn]] void refuse(const PGresult* answer, std::string_view statement);

// Throws store_error: the connection ended, and whether the statement happened is not known. `shown` names the database.
[[noreturn]] void lose(const std::string& shown, std::string_view statement, const std::string& why);

}  // namespace errand::postgres
