// The runs of a schedule that the tests declare, and tasks of which three run at once, all by the workers of tests/programs/ticker.cpp.
#pragma once

#include <errand/errand.hpp>

namespace fault_test {

struct writes_tick {
    errand::awaitable<void> perform();
};

// Writes `begun` before these 50 ms and `done` behind them, with the time.
struct one_of_three {
    errand::awaitable<void> perform(int number);
};

}  // namespace fault_test

ERRAND_DECLARE_HANDLER(fault_test::writes_tick,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{50}))
ERRAND_DECLARE_HANDLER(fault_test::one_of_three,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{50}), .max_running = 3)
