// The files of sql/ and schema/, by their names without .sql.
#pragma once

#include "core/embedded_text.hpp"

#include <span>

namespace errand::sqlite {

extern const std::span<const embedded_text> sql_texts;     // sorted by name
extern const std::span<const embedded_text> schema_steps;  // those of schema/

}  // namespace errand::sqlite
