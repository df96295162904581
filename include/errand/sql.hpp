#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// What goes to a database and comes back from it, alike for SQLite, PostgreSQL, MySQL and MariaDB.
namespace errand::sql {

/// A binary value: `BLOB`, `bytea`, `VARBINARY`.
using bytes = std::vector<std::byte>;

/// A parameter of a statement or a column of a row; `std::monostate` is NULL. What has no type of its own here (dates,
/// decimals, UUIDs, JSON) is the text that the database prints for it.
using value = std::variant<std::monostate, bool, std::int64_t, double, std::string, bytes>;

/// What a statement returned.
struct result {
    std::vector<std::string> columns{};  ///< names, in the statement's order; empty when it returns no rows
    std::vector<std::vector<value>> rows{};  ///< each as long as `columns`
    std::uint64_t affected = 0;              ///< rows that it inserted, changed or deleted
};

}  // namespace errand::sql
