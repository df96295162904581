// Attempts as part of a trace. On the attempt's home loop.
#pragma once

#include "core/attempt_rules.hpp"
#include "worker/active_task.hpp"

namespace errand {

namespace detail {
class app_core;
}

// What is performed in it belongs to its trace from now on.
void begin_span(detail::app_core& app, active_task& attempt);
// It ends so.
void end_span(active_task& attempt, const decision& how);

}  // namespace errand
