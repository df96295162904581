// The tasks of the fault tests of dependencies: submitted and run by tests/programs/builder.cpp.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <string>

namespace errand::test {
class task_journal;
}

namespace fault_test {

// Which attempt gave the result.
struct stone {
    std::uint64_t fence = 0;
    int pid = 0;
};

// The file beside the journal that mends what is broken.
inline std::string mended_file(const std::string& journal) { return journal + ".mended"; }

// Takes so long, after so many attempts that fail; one of -1 is broken, and discarded, until that file is there. Its biz_id, given with the submission, is its key in the plan.
struct lays_stone {
    errand::test::task_journal& book;
    explicit lays_stone(errand::test::task_journal& j) : book{j} {}
    errand::awaitable<stone> perform(int failures, errand::duration length);
};

}  // namespace fault_test

ERRAND_DECLARE_HANDLER(fault_test::lays_stone, .queue = "north", .max_retry = 100,
                       .backoff = errand::backoff::uniform(std::chrono::milliseconds{20}))
