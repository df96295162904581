// What the tables of days have of a task, as the database keeps it there.
#pragma once

#include <errand/sql.hpp>

#include "core/task_id.hpp"
#include "sql/dialect.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace errand::shelf {

// In PostgreSQL, where each byte counts, an id is a UUID there, a time is that within the day, and rows are in the order of a number; elsewhere
// ids are bytes, times are since 1970, and rows are in the order of these.
class day_columns {
public:
    explicit day_columns(const sql::dialect& in) : short_{in.name == "postgres"} {}

    sql::value id(const task_id& of) const;
    // So many of them.
    std::vector<sql::value> ids(const std::vector<task_id>& of, std::size_t from, std::size_t most) const;
    std::int64_t time(std::int64_t day, std::int64_t due) const;
    // By which the rows of that day are in their order; then they are by their ids.
    std::int64_t order(std::int64_t day, std::int64_t due, std::string_view id) const;

private:
    bool short_;
};

}  // namespace errand::shelf
