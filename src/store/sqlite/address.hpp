// What a URL of this store says: sqlite:///absolute/path.db, sqlite:relative/path.db, sqlite::memory:
#pragma once

#include "core/sqlite_url.hpp"

#include <string>
#include <string_view>

namespace errand::sqlite {

struct address : sqlite_url {
    std::string shown;
    bool in_memory() const noexcept { return path.empty(); }
};

// Throws usage_error naming what is wrong.
address parse_address(std::string_view url);

}  // namespace errand::sqlite
