// The runs of a schedule that the tests declare, made by the workers of tests/programs/ticker.cpp.
#pragma once

#include <errand/errand.hpp>

namespace fault_test {

struct writes_tick {
    errand::awaitable<void> perform();
};

}  // namespace fault_test

ERRAND_DECLARE_HANDLER(fault_test::writes_tick,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{50}))
