// Finding a task again by its id.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/engine.hpp>
#include <errand/graph.hpp>
#include <errand/task_info.hpp>

#include "core/task_id.hpp"

#include <optional>

namespace errand::detail {

// Nullopt when the store knows no such task, or no longer.
awaitable<std::optional<task_info>> find_info(app_core& app, task_id id);
awaitable<std::optional<task_graph>> find_graph(app_core& app, task_id id, std::size_t most);
awaitable<std::optional<task_ref>> find_task(app_core& app, task_id id);

}  // namespace errand::detail
