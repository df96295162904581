// A database made ready for use: errand's tables are there, in the format that is known.
#pragma once

#include "store/sqlite/address.hpp"
#include "store/sqlite/connection.hpp"

#include <memory>

namespace errand::sqlite {

// Grows with every change of sql/schema.sql; schema/NNN.sql brings a file of the format before to NNN.
inline constexpr int store_format = 5;

// Throws store_error saying what to do, or failure. A file of an older format is brought forward; one without errand's
// tables, new or a user's, gets them.
std::unique_ptr<connection> open_database(const address& at);
// The same for somebody else's connection, as part of the transaction that is open there.
void make_ready_inside(connection& in, const address& at);

}  // namespace errand::sqlite
