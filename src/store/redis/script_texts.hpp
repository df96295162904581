#pragma once

#include <span>
#include <string_view>

namespace errand::redis {

// The Lua scripts of this folder's scripts/ as they were when errand was built; the source is generated.
struct script_text {
    std::string_view name;  // the file's name without .lua
    std::string_view text;
};

extern const std::span<const script_text> script_texts;  // sorted by name

}  // namespace errand::redis
