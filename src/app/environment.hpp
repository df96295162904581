// The process's environment.
#pragma once

#include <string>
#include <vector>

namespace errand {

// The names of all variables. While nobody sets one.
std::vector<std::string> names_of_variables();

}  // namespace errand
