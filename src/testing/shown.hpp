// The tasks of a harness as its test sees them, and the sentences in which it is told what is not as it expected.
#pragma once

#include <errand/task_info.hpp>

#include "runtime/loop.hpp"
#include "testing/solo_worker.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::testing {

// The tasks of this handler (empty: of any): ended ones in the order in which they ended, others in that of submission, or
// all in that of submission. The handler's name must live until the end of the call.
awaitable<std::vector<task_info>> tasks_shown(solo_worker& in, std::string_view handler,
                                              std::optional<bool> ended);

bool has_args(const task_info& task, std::string_view args);

// Why an expected submission was not found: others of its handler were, or none.
std::string unlike(std::string_view handler, std::string_view args, const std::vector<task_info>& instead);
std::string none_of(std::string_view handler, const std::optional<std::string>& args,
                    const std::vector<task_info>& instead);

// Why a wait for these tasks cannot end.
awaitable<std::string> endless(loop& home, std::vector<task_id> awaited);

}  // namespace errand::testing
