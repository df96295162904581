#include "sql/dialect.hpp"

#include <errand/error.hpp>

#include <algorithm>
#include <array>

namespace errand::sql {

const dialect& dialect::of(std::string_view name) {
    static const std::array<dialect, 3> all{{
        {.name = "sqlite",
         .numbered = false,
         .locks_rows = false,
         .most_parameters = 32'766,
         .begin = "BEGIN IMMEDIATE",
         .commit = "COMMIT",
         .rollback = "ROLLBACK",
         .isolate = {}},
        {.name = "postgres",
         .numbered = true,
         .locks_rows = true,
         .most_parameters = 65'535,
         .begin = "BEGIN",
         .commit = "COMMIT",
         .rollback = "ROLLBACK",
         .isolate = {}},
        {.name = "mysql",
         .numbered = false,
         .locks_rows = true,
         .most_parameters = 65'535,
         .begin = "START TRANSACTION",
         .commit = "COMMIT",
         .rollback = "ROLLBACK",
         .isolate = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"},
    }};
    const auto found = std::ranges::find(all, name, &dialect::name);
    if (found != all.end()) return *found;
    throw usage_error{"\"" + std::string{name} +
                      "\" is no database that errand knows: sqlite, postgres or mysql"};
}

}  // namespace errand::sql
