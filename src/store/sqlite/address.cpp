#include "store/sqlite/address.hpp"

#include <errand/error.hpp>

namespace errand::sqlite {

address parse_address(std::string_view url) {
    address at;
    at.shown = url;
    if (const auto wrong = read_sqlite_url(url, at); !wrong.empty()) {
        throw usage_error{"ERRAND_STORE: \"" + at.shown + "\": " + wrong +
                          "; use sqlite:///absolute/path.db, sqlite:relative/path.db or sqlite::memory:"};
    }
    return at;
}

}  // namespace errand::sqlite
