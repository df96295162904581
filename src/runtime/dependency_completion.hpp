// Completing a stored submission that waits for it: tasks with very many parents, or far into a graph of others. Done by
// who submitted it or, when that one died on the way, by a resolver. On the store's executor.
#pragma once

#include "store/store.hpp"

#include <optional>
#include <span>
#include <vector>

namespace errand {

// Names its parents beyond those that came with it, looks for a cycle and accepts it. Every step may be repeated. The
// answer is accepted, cycle or gone; after these two it was taken back. Throws store_error when it is there no longer.
awaitable<submit_answer> complete_dependencies(store& in, task_id id, incarnation life,
                                               std::span<const parent_task> parents);

// Its steps, for those who complete many together.
// Names parents beyond those of the first call; one that is no longer kept, if any. Throws as complete_dependencies() does.
awaitable<std::optional<task_id>> enrol_parents(store& in, task_id id, incarnation life,
                                                std::span<const parent_task> parents);
// The tasks on a cycle through this one, the one first; empty when there is none. `parents`: it is not stored yet.
awaitable<std::vector<task_id>> find_cycle(store& in, task_id id, std::span<const parent_task> parents = {});
// The refusal that a submission over several shards would end with, as far as it can be known before: storing it would
// overwrite what is kept of the last task of its id.
awaitable<std::optional<submit_answer>> foreseen_refusal(store& in, const submission_item& item);
[[noreturn]] void throw_lost(const task_id& id);

}  // namespace errand
