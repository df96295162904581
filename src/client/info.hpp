// A task as the store has it, as users see it.
#pragma once

#include <errand/task_info.hpp>

#include "store/store.hpp"

namespace errand {

// Nullopt when the task has ended and its retention is over.
std::optional<task_info> info_of(const found_task& found);

// True when an outcome that ended at this time is no longer kept.
bool retention_is_over(const task_outcome& outcome, time_point finished_at, time_point now) noexcept;

}  // namespace errand
