// The delays of the built-in backoffs, as functions of the number of retries.
#pragma once

#include <errand/time.hpp>

namespace errand {

// n^4 + 15 + random*30*(n+1) seconds; random in [0, 1).
duration polynomial_delay(int retries, double random) noexcept;

// min(first * 2^n, cap).
duration exponential_delay(duration first, duration cap, int retries) noexcept;

}  // namespace errand
