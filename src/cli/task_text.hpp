// One task in full, and the tasks connected with it, for people. Pure.
#pragma once

#include <errand/graph.hpp>
#include <errand/task_info.hpp>

#include "service/why.hpp"

#include <string>

namespace errand::cli {

using errand::surroundings;
using errand::why_text;

std::string task_text(const task_info& task, const std::string& why);

// An indented tree: below each task those that wait for it. A task with several dependencies stands below each of them; what waits for it only below the first. The task that was
// asked for is marked with "*".
std::string tree_text(const task_graph& graph);

}  // namespace errand::cli
