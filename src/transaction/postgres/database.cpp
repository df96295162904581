#include <errand/postgres.hpp>

#include "transaction/database_core.hpp"
#include "transaction/joined.hpp"
#include "transaction/postgres/adopted.hpp"
#include "transaction/postgres/driver.hpp"

namespace errand::postgres {
database::database(app& owner, const std::string& url, database_options options)
    : errand::database{detail::open_database(owner, std::make_unique<driver>(url), options)} {}

joined_transaction adopt(database& db, ::pg_conn* connection) {
    return detail::join(db.core(), std::make_unique<adopted>(connection));
}

}  // namespace errand::postgres
