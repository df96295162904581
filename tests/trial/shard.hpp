// On which of a namespace's servers a task lies.
#pragma once

#include "core/task_id.hpp"
#include "store/shards/routes.hpp"

#include <cstddef>
#include <string>

namespace trial {

inline std::size_t shard_of_task(const std::string& id, std::size_t shards) {
    const auto known = errand::parse_task_id(id);
    return known ? errand::shards::shard_of(*known, shards) : 0;
}

}  // namespace trial
