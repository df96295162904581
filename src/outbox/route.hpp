// Which shards of the store a row concerns. Pure, but for the store's table of shards.
#pragma once

#include "outbox/entry.hpp"
#include "store/store.hpp"

#include <vector>

namespace errand {

// In order, each once.
using shard_set = std::vector<std::size_t>;

// Those that have to be there for it to be delivered: its own, and those of what it depends on.
shard_set route_of(const store& in, const outbox_entry& entry);
shard_set route_of(const store& in, const detail::held_task& task);

// Of a task, or of a schedule that is declared: that of its entry.
task_id entry_id(const detail::held_task& task);

}  // namespace errand
