#include "service/plan_order.hpp"

#include <functional>
#include <queue>

namespace errand::web {

std::vector<std::size_t> plan_order(const std::vector<std::vector<std::size_t>>& after,
                                    std::optional<std::size_t>& cycle) {
    std::vector<std::size_t> left(after.size());
    std::vector<std::vector<std::size_t>> before(after.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
    for (std::size_t i = 0; i < after.size(); ++i) {
        left[i] = after[i].size();
        for (const auto parent : after[i]) before[parent].push_back(i);
        if (left[i] == 0) free.push(i);
    }
    std::vector<std::size_t> order;
    while (!free.empty()) {
        const auto next = free.top();
        free.pop();
        order.push_back(next);
        for (const auto child : before[next]) {
            if (--left[child] == 0) free.push(child);
        }
    }
    if (order.size() == after.size()) return order;
    // From one that is not free backwards: each of these waits for another one, until one comes again.
    std::size_t at = 0;
    while (left[at] == 0) ++at;
    std::vector<bool> seen(after.size());
    while (!seen[at]) {
        seen[at] = true;
        for (const auto parent : after[at]) {
            if (left[parent] == 0) continue;
            at = parent;
            break;
        }
    }
    cycle = at;
    return order;
}

}  // namespace errand::web
