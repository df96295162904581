// What one call to a store carries.
#pragma once

#include <cstddef>

namespace errand {

// Give or take one item: on a line of 1 Mbit/s it is sent in four seconds, which is well under a lease and store_timeout.
inline constexpr std::size_t most_bytes_per_call = std::size_t{512} * 1000;

}  // namespace errand
