// In which format each server or file of a configuration keeps its tasks, for a look before an upgrade.
#pragma once

#include <errand/config.hpp>

#include "store/stored_format.hpp"

#include <vector>

namespace errand {

// What each server or file of these settings keeps, without opening it as a store: nothing is changed. Servers are asked side by
// side, and waited for: nothing for a loop. Throws usage_error for URLs that are none, store_error when one cannot be reached or read.
std::vector<stored_format> stored_formats(const config& settings);

}  // namespace errand
