// A task of five stages, submitted by the tests and run by the workers of tests/programs/stager.cpp.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>

namespace fault_test {

inline constexpr int stages_in_all = 5;
// The stage that submits a child and waits for it.
inline constexpr int stage_with_child = 3;

inline std::int64_t child_of(std::int64_t value) { return value * 7 + 1; }

struct five_stages {
    errand::awaitable<std::int64_t> perform(std::int64_t seed);
};

// What the task gives when every stage has counted once.
inline std::int64_t result_of_stages(std::int64_t value) {
    for (int at = 1; at <= stages_in_all; ++at) {
        if (at == stage_with_child) value = child_of(value);
        value = value * 31 + at;
    }
    return value;
}

}  // namespace fault_test

// Killed at every step, one after the other, it loses some thirty workers.
ERRAND_DECLARE_HANDLER(fault_test::five_stages, .max_retry = 100,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{1}))
