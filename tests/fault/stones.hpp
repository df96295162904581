// The tasks of the fault tests of dependencies: submitted and run by tests/programs/builder.cpp.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>

namespace errand::test {
class task_journal;
}

namespace fault_test {

// Which attempt gave the result.
struct stone {
    std::uint64_t fence = 0;
    int pid = 0;
};

// Takes so long, after so many attempts that fail. Its biz_id, given with the submission, is its key in the plan.
struct lays_stone {
    errand::test::task_journal& book;
    explicit lays_stone(errand::test::task_journal& j) : book{j} {}
    errand::awaitable<stone> perform(int failures, errand::duration length);
};

}  // namespace fault_test

ERRAND_DECLARE_HANDLER(fault_test::lays_stone, .queue = "north", .max_retry = 100,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{20}))
