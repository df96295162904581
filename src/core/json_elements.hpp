// The elements of a JSON array as they are written: nothing is parsed and written again, so no number changes. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace errand {

// Of sound JSON text that is an array; throws bad_data when it is none.
std::vector<std::string_view> json_elements(std::string_view array);

}  // namespace errand
