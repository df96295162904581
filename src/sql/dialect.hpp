// In what databases differ: a row of a table for each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace errand::sql {

struct dialect {
    std::string_view name;  // "sqlite", "postgres" or "mysql"
    bool numbered;          // parameters are $1, $2 …, and not ?
    // Rows can be locked without keeping those who write others waiting, and those that are locked passed over.
    bool locks_rows;
    std::size_t most_parameters;  // of a statement

    // Savepoints are written alike everywhere.
    std::string begin, commit, rollback;
    // What makes the next transaction lock rows alone, and not the gaps between them; empty where they always do.
    std::string isolate;

    // Throws usage_error for another name.
    static const dialect& of(std::string_view name);
};

}  // namespace errand::sql
