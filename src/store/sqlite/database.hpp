// A database made ready for use: errand's tables are there, in the format that is known.
#pragma once

#include "sqlite/connection.hpp"
#include "store/sqlite/address.hpp"
#include "store/sqlite/sql_texts.hpp"

#include <memory>
#include <span>

namespace errand::sqlite {

// Grows with every change of sql/schema.sql.
inline constexpr int store_format = 10;
// The oldest that is brought forward.
inline constexpr int oldest_format = 5;

// A format of errand's tables, and the way to it.
struct table_format {
    int number = store_format;
    int oldest = oldest_format;  // which is brought forward, and so are those behind it
    // schema/NNN.sql brings the format before to NNN.
    std::span<const embedded_text> steps = schema_steps;
};

// Of a database that is open; 0: nothing of errand's is there.
int format_of(connection& in);
// Throws store_error saying what to do, or failure. A file of an older format is brought forward; one without errand's
// tables, new or a user's, gets them.
std::unique_ptr<connection> open_database(const address& at, const table_format& known = {});
// The same for somebody else's connection, as part of the transaction that is open there.
void make_ready_inside(connection& in, const address& at);

}  // namespace errand::sqlite
