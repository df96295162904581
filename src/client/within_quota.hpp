// What is submitted and declared is held against the quota of the namespace, before the store is given it. Costs a load where no
// quota is set. On the loop that is given.
#pragma once

#include "core/schedule_record.hpp"
#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace errand {

// Its arguments are larger than the quota allows; null when they are not.
std::exception_ptr payload_refusal(const detail::app_core& app, const quota& rules,
                                   const std::string& handler, std::size_t bytes);
// What the quota has answered, to who asked for `count`. Not of one that admitted all.
std::exception_ptr quota_refusal(const detail::app_core& app, const quota& rules, const quota_answer& answer,
                                 std::int64_t count, bool whole);

// Whether all may be submitted. Throws quota_exceeded.
awaitable<void> need_quota(loop& there, const detail::app_core& app, std::int64_t count);

// Those that are new, and would be one too many. Throws quota_exceeded.
awaitable<void> need_schedule_quota(store& in, const detail::app_core& app,
                                    std::span<const schedule_record> declared);

}  // namespace errand
