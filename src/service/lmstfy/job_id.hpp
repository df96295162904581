// Ids of jobs as lmstfy's clients see them: the 16 bytes of a task's id as 26 characters of Crockford's base32, which begin
// with when it was published; with a "1" in front for who speaks of job versions. Pure.
#pragma once

#include "core/task_id.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace errand::lmstfy {

// @param versioned with the "1" in front
std::string job_text(const task_id& id, bool versioned);
// Nullopt: it is none. Small letters are as good as capitals.
std::optional<task_id> read_job_id(std::string_view text) noexcept;

}  // namespace errand::lmstfy
