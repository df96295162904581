#include "cli/open_database.hpp"

#include <errand/app.hpp>
#include <errand/error.hpp>
#include <errand/mysql.hpp>
#include <errand/postgres.hpp>
#include <errand/sqlite.hpp>

namespace errand::cli {

// Tables are made when that is what was asked for.
constexpr database_options only_looks{.install = false};

std::shared_ptr<database> open_database(errand::app& owner, const std::string& url) {
    if (url.starts_with("sqlite:")) return std::make_shared<sqlite::database>(owner, url, only_looks);
#ifdef ERRAND_HAS_POSTGRES
    if (url.starts_with("postgres")) return std::make_shared<postgres::database>(owner, url, only_looks);
#endif
#ifdef ERRAND_HAS_MYSQL
    if (url.starts_with("mysql:")) return std::make_shared<mysql::database>(owner, url, only_looks);
#endif
    throw usage_error{
        "--db: \"" + url.substr(0, url.find(':')) +
        "\" is no database that this program was built with; use sqlite:///path/file.db, postgres://user@host/name or mysql://user@host/name"};
}

}  // namespace errand::cli
