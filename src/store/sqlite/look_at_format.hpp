// In which format a SQLite file keeps its tasks, without opening it as a store.
#pragma once

#include "store/stored_format.hpp"

#include <string>

namespace errand::sqlite {

// Throws usage_error for a URL that is none, store_error when the file cannot be read.
stored_format look_at_format(const std::string& url);

}  // namespace errand::sqlite
