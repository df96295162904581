// A task as its records have it, as users see it. On any thread.
#pragma once

#include <errand/task_info.hpp>

#include "store/store.hpp"

#include <optional>

namespace errand {

// Nullopt when the task has ended and is no longer kept.
std::optional<task_info> info_of(const found_task& found);

// What was submitted and what has happened so far; the caller knows its state.
task_info info_of(const task_id& id, const task_body& body, const task_notes& notes);

}  // namespace errand
