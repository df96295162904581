// Which script makes which transition.
#pragma once

#include "core/state_table.hpp"

#include <string_view>

namespace errand::redis {

// The name of the file in scripts/ without .lua: that of the part which decides, where a script has several.
std::string_view script_of_transition(transition what) noexcept;

}  // namespace errand::redis
