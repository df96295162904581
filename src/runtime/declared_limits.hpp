// The limits that this program declares: each errand::limit at namespace scope. Filled before main, read after that only. From
// any thread.
#pragma once

#include "store/limit_store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace errand::declared_limits {

// By name. Throws usage_error when one of them is not as it must be, or two of one name have different rules.
const std::vector<named_limit>& all();
// Null when this program declares none of that name. Throws likewise.
const named_limit* find(std::string_view name);
std::vector<std::string> names();

}  // namespace errand::declared_limits
