// Jobs whose tries are used up: looked at, started again, deleted; the oldest first. On the tenant's loop.
#pragma once

#include "service/lmstfy/tenant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace errand::lmstfy {

// The id of the oldest; empty: there is none.
awaitable<std::string> oldest_dead(tenant& of, std::string queue);

// At most `limit` of them get one try more, at the tail of the ready ones. How many have.
// @param ttl of them from now on, seconds; 0: for ever
awaitable<std::int64_t> respawn(tenant& of, std::string queue, std::int64_t limit, std::int64_t ttl);

awaitable<void> delete_dead(tenant& of, std::string queue, std::int64_t limit);

}  // namespace errand::lmstfy
