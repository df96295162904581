// The Lua files of scripts/, by their names without .lua.
#pragma once

#include "core/embedded_text.hpp"

#include <span>

namespace errand::redis {

extern const std::span<const embedded_text> script_texts;  // sorted by name

}  // namespace errand::redis
