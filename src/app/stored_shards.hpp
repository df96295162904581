// Where each shard of a configuration is and how much it holds, for `errand shards`.
#pragma once

#include <errand/config.hpp>

#include "store/shard_look.hpp"

#include <vector>

namespace errand {

// Each shard of these settings' namespace, without opening it as a store: nothing is changed. All are asked at once, and it returns when all
// have answered, so it is nothing for a loop. Throws usage_error for URLs that are none, and for stores that are no Redis.
std::vector<shard_look> stored_shards(const config& settings);

}  // namespace errand
