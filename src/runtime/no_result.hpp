// Why who asks for a task's end is told of none.
#pragma once

#include <errand/time.hpp>

#include "core/task_id.hpp"
#include "store/store_calls.hpp"

#include <exception>

namespace errand::no_result {

// A later task with its biz_id stands in its place.
std::exception_ptr gone(const task_id& id);
std::exception_ptr deleted(const task_id& id);
// The store has accepted it and knows nothing of it.
std::exception_ptr lost(const task_id& id);
// The store did not answer in time: it may be asked for again.
std::exception_ptr unanswered(const task_id& id);
// The app goes before the task has ended.
[[noreturn]] void throw_closing();

// Of an end: whether who comes now, and did not wait for it, comes too late.
bool comes_too_late(const ended_task& end, time_point now);

}  // namespace errand::no_result
