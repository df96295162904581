// How the trial's collected tasks are run together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trial {

inline constexpr int most_in_batch = 6;
inline constexpr std::int64_t longest_gathering_ms = 1000;

}  // namespace trial
