// The files of sql/<database>/, by their names without .sql.
#pragma once

#include "core/embedded_text.hpp"

#include <span>

namespace errand::sql {

extern const std::span<const embedded_text> sqlite_texts;  // sorted by name
extern const std::span<const embedded_text> postgres_texts;
extern const std::span<const embedded_text> mysql_texts;

}  // namespace errand::sql
