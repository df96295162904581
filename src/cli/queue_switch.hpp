// What pause and resume have in common.
#pragma once

#include "cli/command.hpp"

#include <string>
#include <vector>

namespace errand::cli {

exit_code pause_queues(session& on, const std::vector<std::string>& queues, bool paused);

}  // namespace errand::cli
