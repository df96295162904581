// What waiting for one task and for many have in common: which life is meant, and what an end means.
#pragma once

#include <errand/detail/engine.hpp>

#include "runtime/loop.hpp"

#include <exception>
#include <string>
#include <string_view>

namespace errand::detail {

// The life that a handle stands for. Throws usage_error while, or because, a transaction holds the task back; `wish`:
// what cannot be done, as in "await the result of".
incarnation life_of(const task_ref& ref, const char* wish);

// The result in an encoded outcome, as JSON text. Throws what the task's end means to who awaits it.
std::string result_in(const task_ref& ref, std::string_view outcome);

// What that result stands for: itself, or of a group those of its members.
awaitable<std::string> whole(const task_ref& ref, std::string result);

// Throws why there is no end to come: for a task that the store does not know, lost or gone by now.
[[noreturn]] void throw_missing(const task_ref& ref, incarnation life, time_point now,
                                const std::exception_ptr& failure);

}  // namespace errand::detail
