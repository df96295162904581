// A graph of tasks as an indented tree: below each task those that wait for it. Pure.
#pragma once

#include <errand/graph.hpp>

#include <string>

namespace errand::cli {

// A task with several dependencies stands below each of them; what waits for it only below the first. The task that was
// asked for is marked with "*".
std::string tree_text(const task_graph& graph);

}  // namespace errand::cli
