// What is looked at before a worker starts.
#pragma once

#include "core/queue_choice.hpp"

namespace errand {

namespace detail {
class app_core;
}

// Builds every handler that this program can run. Throws one usage_error that names all beans that any of
// them misses, or every handler whose construction fails.
void check_handlers(const detail::app_core& app);

// The queues to serve: those of the configuration, else those of all handlers that this program can run.
queue_choice queues_of(const detail::app_core& app);

}  // namespace errand
