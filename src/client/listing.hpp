// Tasks of one state, page by page, out of the several lists in which they may stand. On the store's executor.
#pragma once

#include <errand/inspect.hpp>

#include "store/store.hpp"

#include <string>
#include <vector>

namespace errand {

// What the store returned of tasks that match, in order. `next` as in task_page.
struct found_page {
    std::vector<found_task> tasks;
    std::string next;
    std::size_t looked_at = 0;
};

// Throws usage_error when `after` is not a cursor.
awaitable<found_page> list_page(store& in, task_filter which, std::string after, std::size_t limit,
                                list_order order);

}  // namespace errand
