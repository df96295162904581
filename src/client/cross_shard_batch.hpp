// Batches whose tasks depend on tasks of other shards, all or nothing as far as several shards can be.
// On the loop that is given.
#pragma once

#include "runtime/loop.hpp"

#include <span>
#include <vector>

namespace errand {

// Whether an item depends on a task that another shard keeps.
bool crosses_shards(const store& in, std::span<const submission_item> items);

// For each item that is on a cycle of items of this batch: the ids on it, from the item and back; empty for the others.
std::vector<std::vector<task_id>> cycles_among(std::span<const submission_item> items);

// Whatever can refuse an item is found before a task can start: first those that wait are stored and registered with what
// they wait for, then comes the rest. Every refusal takes back what was stored. No answer is `registering`.
// With submit_mode::ask nothing is stored.
awaitable<submitter::group_answer> submit_over_shards(loop& there, std::vector<submission_item> items,
                                                      submit_mode mode);

}  // namespace errand
