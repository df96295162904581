// What ties a task to parents that other shards keep: its own shard holds what it needs, theirs that it is to hear of them.
// On the store's executor.
#pragma once

#include "store/store.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace errand {

// The outcome of a group whose members all succeeded.
std::string group_outcome();

// Tells all that was cancelled because of this task, and so on, that it was revived: once that has been done they wait
// again. The resolvers do the same whenever they come to it; neither minds the other.
awaitable<void> revive_dependents(store& in, task_id revived);
// The same of one of many: false when a server of several is away that keeps some of them; it hears of it when it is there.
awaitable<bool> revive_dependents_there(store& in, task_id revived);

// All tasks at the other ends of its edges of one kind.
awaitable<std::vector<task_id>> linked_to(store& in, link kind, task_id of);

// Registers a stored task with the parents that its edges name, wherever these are kept, and tells it of those that have
// ended. Leaves out those of which `skipped` is true. May be repeated at any time, by anybody.
// Returns a parent of which `accepted` is true and which is no longer kept, so that nothing will ever be heard of it.
using parent_test = std::function<bool(const task_id&)>;
awaitable<std::optional<task_id>> link_parents(store& in, task_id child, parent_test accepted,
                                               parent_test skipped);

// The task's shard said that these need not tell it anything any more. It may need them again since.
awaitable<void> unlink_parents(store& in, task_id child, std::vector<task_id> parents);

}  // namespace errand
