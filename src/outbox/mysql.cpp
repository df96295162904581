#include <errand/mysql.hpp>

#include "outbox/database_core.hpp"
#include "outbox/joined.hpp"
#include "sql/mysql/driver.hpp"

namespace errand::mysql {
database::database(app& owner, const std::string& url, database_options options)
    : errand::database{detail::open_database(
          owner, [&](detail::app_core&) { return std::make_unique<driver>(url); }, options)} {}

joined_transaction adopt(database& db, boost::mysql::any_connection& connection) {
    return detail::join(db.core(), adopted(connection));
}

}  // namespace errand::mysql
