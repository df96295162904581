// What the server returned, as values.
#pragma once

#include <errand/sql.hpp>

#include <libpq-fe.h>

namespace errand::postgres {

// Booleans, numbers of 2 to 8 bytes and bytea are values of their own type; all else is text.
sql::result rows_of(const PGresult* from);

}  // namespace errand::postgres
