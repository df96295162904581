// Where a ready task with a head start stands: before all without a priority that became ready less than that before it. Pure.
//
// Both stores keep those in one order, in which they became ready. None says when, so it is read of the task itself, and the
// place of one with a head start is looked for by halves when it becomes ready (src/store/redis/scripts/lib_ahead.lua and
// src/store/sqlite/queues.cpp).
#pragma once

#include "core/record.hpp"

#include <string_view>

namespace errand {

inline constexpr duration longest_head_start = std::chrono::hours{24 * 366};

// When it became ready, as far as its records tell, less its head start. Encoded; `notes` may be empty. Of a record that does not
// decode: long ago, so that nothing is put before it.
time_point ready_order(std::string_view body, std::string_view notes) noexcept;

}  // namespace errand
