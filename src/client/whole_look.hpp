// A namespace at one look: queues, workers and today, for which what they have in common is asked for once.
#pragma once

#include <errand/inspect.hpp>

#include <vector>

namespace errand {

struct whole_look {
    std::vector<queue_info> queues;    // as inspector::queues() tells them
    std::vector<worker_info> workers;  // as inspector::workers() does
    std::vector<day_info> today;       // as inspector::history(1) does
};

// Throws store_error.
awaitable<whole_look> look_at_whole(detail::app_core& app);

}  // namespace errand
