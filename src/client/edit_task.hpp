// What callers change about a task that is there: cancel, revive, reschedule, change, remove. On the store's executor.
#pragma once

#include <errand/inspect.hpp>

#include "store/store.hpp"

#include <optional>

namespace errand {

// A life of 0 means whichever is there. Nullopt: the store does not know that life of the task.
awaitable<cancel_answer> cancel_on(store& in, task_id id, incarnation life, duration retention);
// Those that were cancelled because of it are left to the resolvers.
awaitable<std::optional<bool>> revive_on(store& in, task_id id, incarnation life);
// The same, and they wait again when it is done.
awaitable<std::optional<bool>> revive_with_dependents_on(store& in, task_id id, incarnation life);
awaitable<std::optional<bool>> reschedule_on(store& in, task_id id, incarnation life, time_point due_at);
// A dead one that gets other arguments starts again with them.
awaitable<std::optional<bool>> change_on(store& in, task_id id, incarnation life, task_change what);
awaitable<remove_verdict> remove_on(store& in, task_id id);

}  // namespace errand
