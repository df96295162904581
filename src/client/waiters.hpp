// Who waits at a limit, as people see it.
#pragma once

#include <errand/app.hpp>
#include <errand/task_info.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace errand {

// Those that one key keeps waiting, or what all keys together are allowed.
struct limit_waiters {
    bool keyed = false;
    std::int64_t waiting = 0;
    // Of them the one that goes first; nullopt: it has gone meanwhile. Keys are kept as hashes: what its key is says that task.
    std::optional<task_info> first{};
};

// Those first of whom there are most, so many at most. Throws store_error.
awaitable<std::vector<limit_waiters>> waiters_at(app& of, std::string limit, std::size_t most);

}  // namespace errand
