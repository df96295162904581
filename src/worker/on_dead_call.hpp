// Tells a handler that one of its tasks is dead.
#pragma once

#include "core/attempt_rules.hpp"
#include "runtime/handlers.hpp"
#include "store/store.hpp"

#include <string_view>

namespace errand {

namespace detail {
class app_core;
}

struct dead_task {
    const task_id& id;
    std::string_view queue;
    const task_body& body;
    const attempt_terms& terms;
    const task_notes& notes;
    std::optional<time_point> started_at;
};

// Whether the handler wants to hear of it.
bool has_on_dead(const known_handler* of) noexcept;
// Calls on_dead with the task as it will be stored. What it throws is logged: the task is dead whatever it
// says.
void call_on_dead(detail::app_core& app, const known_handler& of, const dead_task& task, time_point now);

}  // namespace errand
