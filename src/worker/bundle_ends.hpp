// The end of a carrier is that of its items: what it says of each is carried out, in steps that may be repeated.
#pragma once

#include "store/store.hpp"
#include "worker/worker_shared.hpp"

namespace errand {

// `one`: news about a carrier, which stay. Throws store_error; then they come again. How many items were told.
awaitable<std::size_t> tell_items(worker_shared& shared, store& in, news one);

}  // namespace errand
