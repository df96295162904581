// Tasks that wait for each other, each behind those that it waits for. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace errand::web {

// Places, in an order in which each stands behind those in its `after`, and otherwise as they were given. `cycle`: one that would
// have to stand behind itself; then the order is not whole.
std::vector<std::size_t> plan_order(const std::vector<std::vector<std::size_t>>& after,
                                    std::optional<std::size_t>& cycle);

}  // namespace errand::web
