// In which file of sql/ a transition's statements stand.
#pragma once

#include "core/state_table.hpp"

#include <string_view>

namespace errand::sqlite {

// Its name without .sql: that of the statement which moves the task, where a transition uses several.
std::string_view sql_of_transition(transition what) noexcept;

}  // namespace errand::sqlite
