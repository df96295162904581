// A namespace at one look: queues, workers and today, for which what they have in common is asked for once.
#pragma once

#include <errand/figures.hpp>
#include <errand/inspect.hpp>
#include <errand/quota.hpp>

#include <vector>

namespace errand {

struct whole_look {
    std::vector<queue_info> queues;    // as inspector::queues() tells them
    std::vector<worker_info> workers;  // as inspector::workers() does
    std::vector<day_info> today;       // as inspector::history(1) does
};

// Throws store_error.
awaitable<whole_look> look_at_whole(detail::app_core& app);
// As current_quota() tells it, with what was seen to be queued. Throws store_error.
awaitable<quota_info> quota_beside(const whole_look& seen, detail::app_core& app);
// As inspector::figures() tells them, but not what is queued, for which all queues are looked at. Throws store_error.
awaitable<figures_info> figures_of_handlers(detail::app_core& app);

}  // namespace errand
