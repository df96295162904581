// The tasks of the fault tests: submitted by the tests, run by the workers of tests/programs/courier.cpp.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>

namespace fault_test {

// Who gave the result: it is told from those of other attempts by its fence.
struct stay {
    int number = 0;
    std::uint64_t fence = 0;
    int attempt = 0;
    int pid = 0;
};

// Takes this long. One that does not heed goes on when it is told to stop, and has a result in the end.
struct stays {
    errand::awaitable<stay> perform(int number, errand::duration length, bool heeds);
};

}  // namespace fault_test

// A task that loses several workers must not keep a test waiting.
ERRAND_DECLARE_HANDLER(fault_test::stays, .backoff = errand::backoff::uniform(std::chrono::milliseconds{50}))
