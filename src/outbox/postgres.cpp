#include <errand/postgres.hpp>

#include "outbox/database_core.hpp"
#include "outbox/joined.hpp"
#include "sql/postgres/driver.hpp"

namespace errand::postgres {
database::database(app& owner, const std::string& url, database_options options)
    : errand::database{detail::open_database(
          owner, [&](detail::app_core&) { return std::make_unique<driver>(url); }, options)} {}

joined_transaction adopt(database& db, ::pg_conn* connection) {
    return detail::join(db.core(), adopted(connection));
}

}  // namespace errand::postgres
