// What an app that keeps its tasks in memory takes with it.
#pragma once

#include <cstddef>

namespace errand {

namespace detail {
class app_core;
}

// How many tasks have not ended in a store that ends with this app; 0 for any other store.
std::size_t unfinished_in_memory(detail::app_core& core) noexcept;

}  // namespace errand
