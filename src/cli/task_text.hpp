// One task in full, and the tasks connected with it, for people. Pure.
#pragma once

#include <errand/graph.hpp>
#include <errand/task_info.hpp>

#include <cstddef>
#include <string>

namespace errand::cli {

// What is known besides the task: of ready ones; of delayed ones only what is about their handler.
struct surroundings {
    time_point now{};
    bool queue_is_paused = false;
    std::size_t workers = 0;  // that serve its queue
    bool handler_is_paused = false;
    bool handler_is_known = true;      // of one that stands aside: a worker has it
    std::string nearest_handler = {};  // of those that workers have
    bool blocks = false;               // of a working one: it keeps a thread of its worker to itself
};

// In one sentence: what it waits for, or how it ended.
std::string why_text(const task_info& task, const surroundings& around);

std::string task_text(const task_info& task, const std::string& why);

// An indented tree: below each task those that wait for it. A task with several dependencies stands below each of them; what waits for it only below the first. The task that was
// asked for is marked with "*".
std::string tree_text(const task_graph& graph);

}  // namespace errand::cli
