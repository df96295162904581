// What a handle does after the submission, and finding a task again by its id. On any executor: calls of the store are made on
// the caller's loop.
#pragma once

#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/graph.hpp>
#include <errand/task_info.hpp>

#include "runtime/loop.hpp"

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace errand::detail {

// Nullopt when the text is no id, and when the store knows no such task, or no longer.
awaitable<std::optional<task_info>> find_info(app_core& app, std::string id);
awaitable<std::optional<task_graph>> find_graph(app_core& app, std::string id, std::size_t most);
awaitable<std::optional<task_ref>> find_task(app_core& app, std::string id);

// ---- what waiting for one task and for many have in common: which life is meant, and what an end means ----

// The life that a handle stands for. Throws usage_error while, or because, a transaction holds the task back; `wish`:
// what cannot be done, as in "await the result of".
incarnation life_of(const task_ref& ref, const char* wish);

// The result in an encoded outcome, as JSON text. Throws what the task's end means to who awaits it.
std::string result_in(const task_ref& ref, std::string_view outcome, std::string handler = {});

// Throws it with its handler's name, which the store is asked for: an end does not say it.
awaitable<void> throw_named(app_core& app, task_failed why);

// What that result stands for: itself, or of a group those of its members.
awaitable<std::string> whole(const task_ref& ref, std::string result);

// Throws why there is no end to come: for a task that the store does not know, lost or gone by now.
[[noreturn]] void throw_missing(const task_ref& ref, incarnation life, time_point now,
                                const std::exception_ptr& failure);

}  // namespace errand::detail
