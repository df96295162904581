// Which gates a task has: chosen when it is submitted, by what its handler's policy and keys say there. On any thread.
#pragma once

#include <errand/detail/wire.hpp>
#include <errand/quota.hpp>

#include "core/record.hpp"
#include "core/run_time_limits.hpp"
#include "runtime/handlers.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// Whether its policy or its keys limit the tasks of this handler alone: there is a limit "handler:<identity>".
bool has_own_limit(const known_handler& handler) noexcept;
// Whether its tasks have any gate.
bool has_gates(const known_handler& handler) noexcept;

// `keys`: as the handler's own code gave them where the task was submitted; nothing: they are asked for here, where that code
// is. `args`: a JSON array, as text. Throws usage_error for a key that is too long; bad_data when these are not its arguments.
std::string gates_of_task(const known_handler& handler, const std::optional<detail::limit_keys>& keys,
                          std::string_view args);

// After another body.args: as its handler says, where its code is here; else they stay.
void renew_gates(task_body& body);

// Of limits that are set at run time those that hold for it; `handler`: null where this program does not know it.
void add_run_time_gates(const run_time_limits& set, const known_handler* handler, task_body& body);

// By a quota of what runs at once it counts for that. Once more changes nothing; a group is never run, and has no gates, and of
// items that are collected those of their bundle's carrier count.
void count_what_runs(const quota& rules, task_body& body, bool is_carrier = false);

// Limits count in one step of one shard: of several, what has gates stands in the first.
bool may_have_gates(const task_id& id, std::size_t shards) noexcept;
// The id of a task of this handler, or of its schedule, which would have this one if nothing were limited.
task_id placed_id(const known_handler& handler, const task_id& id, std::size_t shards) noexcept;

}  // namespace errand
