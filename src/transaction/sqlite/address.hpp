// The URL of a user's SQLite file.
#pragma once

#include "core/sqlite_url.hpp"

#include <string_view>

namespace errand::sqlite {

// Throws usage_error saying which URLs there are.
sqlite_url parse_file_address(std::string_view url);

}  // namespace errand::sqlite
