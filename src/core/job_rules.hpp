// Jobs of lmstfy's API (docs/lmstfy.md): tasks of one built-in name. What is other with them than with all tasks: each
// delivery is a try and the end of its lease a failure like any, and from the end of its time on a job is neither tried nor
// buried. Pure.
#pragma once

#include "core/record.hpp"

#include <optional>
#include <string_view>

namespace errand {

// Its one argument is what was published, in base64.
inline constexpr std::string_view job_handler = "lmstfy.job";

bool is_job(const task_body& body) noexcept;

// How long a dead job is kept. One that has ended otherwise is kept as long as its body says.
inline constexpr duration dead_job_is_kept_for = std::chrono::days{180};

// When it ends by itself; nullopt: never. One that was started again has the end that it was given then.
std::optional<time_point> end_of_job(const task_body& body, const task_notes& notes) noexcept;

}  // namespace errand
