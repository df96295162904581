// The results of a group: those of its members, which are read when somebody asks. On the loop that is given.
#pragma once

#include "runtime/loop.hpp"

#include <string>

namespace errand {

// What `result` stands for: itself, or of a group the JSON array of its members' results, in order (null for void).
// Throws result_gone when one of them is no longer kept.
awaitable<std::string> whole_result(loop& there, task_id of, std::string result);

}  // namespace errand
