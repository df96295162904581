#include "transaction/sqlite/address.hpp"

#include <errand/error.hpp>

namespace errand::sqlite {

sqlite_url parse_file_address(std::string_view url) {
    sqlite_url at;
    auto wrong = read_sqlite_url(url, at);
    if (wrong.empty() && at.path.empty()) wrong = "connections cannot share a database in memory";
    if (!wrong.empty()) {
        throw usage_error{"sqlite::database: \"" + std::string{url} + "\": " + wrong +
                          "; use sqlite:///absolute/path.db or sqlite:relative/path.db"};
    }
    return at;
}

}  // namespace errand::sqlite
