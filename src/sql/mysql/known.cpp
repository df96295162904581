// Whoever links this library has the driver by its URL. Nobody calls anything in here: users are linked with the name below
// (cmake/databases.cmake), or a static library would leave it out.
#include "sql/known_drivers.hpp"
#include "sql/mysql/driver.hpp"

namespace errand::mysql {

extern const bool known_by_url;
const bool known_by_url =
    sql::make_known("mysql:", [](const std::string& url) -> std::unique_ptr<sql::driver> {
        return std::make_unique<driver>(url);
    });

}  // namespace errand::mysql
