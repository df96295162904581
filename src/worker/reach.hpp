// Opening a loop's store at the start of a worker.
#pragma once

#include <errand/awaitable.hpp>

#include "runtime/loop.hpp"

namespace errand {

// On its loop. Says of several namespaces which one cannot be served.
awaitable<void> reach(loop& there, const detail::app_core& app);

}  // namespace errand
