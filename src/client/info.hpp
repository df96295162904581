// A task as the store has it, as users see it.
#pragma once

#include <errand/task_info.hpp>

#include "store/store.hpp"

namespace errand {

// Nullopt when the task has ended and is no longer kept.
std::optional<task_info> info_of(const found_task& found);

// What is left of a success that was deleted and goes on refusing duplicates: every other one took an attempt.
bool is_remnant(const task_outcome& outcome) noexcept;

}  // namespace errand
