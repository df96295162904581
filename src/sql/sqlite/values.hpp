// Values to and from SQLite's own.
#pragma once

#include <errand/sql.hpp>

#include <string>
#include <vector>

struct sqlite3_stmt;

namespace errand::sqlite {

// ?, ?3 and :name in the order of SQLite; $2 is the second, wherever it stands. Throws database_error when there are more
// or fewer than the statement has. The values must outlive the binding.
void bind_all(sqlite3_stmt* to, const std::vector<sql::value>& values);
sql::value value_at(sqlite3_stmt* of, int column);
// "SQLITE_CONSTRAINT_UNIQUE"
std::string name_of_code(int code);

}  // namespace errand::sqlite
