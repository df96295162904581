// Finding a task again by its id.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/engine.hpp>
#include <errand/graph.hpp>
#include <errand/task_info.hpp>

#include <optional>
#include <string>

namespace errand::detail {

// Nullopt when the text is no id, and when the store knows no such task, or no longer.
awaitable<std::optional<task_info>> find_info(app_core& app, std::string id);
awaitable<std::optional<task_graph>> find_graph(app_core& app, std::string id, std::size_t most);
awaitable<std::optional<task_ref>> find_task(app_core& app, std::string id);

}  // namespace errand::detail
