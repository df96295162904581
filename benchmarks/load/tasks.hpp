// The handlers that are measured. What they did is counted where all processes of a measure see it.
#pragma once

#include <errand/errand.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace load {

struct counters {
    std::atomic<std::uint64_t> executed{0};
    std::atomic<std::uint64_t> id_sum{0};
    std::atomic<std::uint64_t> expected{0};
    std::atomic<std::int64_t> done_ns{0};  // when the expected number was reached
};

// Shared with the processes that are forked later.
counters& count();

// Said by a handler of each task.
void executed(std::int64_t id);

// Waits until the expected number was executed, for a minute after the last sign of life at most.
void wait_for_all();
// Throws unless each id from 1 to `tasks` was executed once.
void check_all(std::uint64_t tasks);

struct item {
    std::int64_t id = 0;
    std::string name = "abcdefgh";
};

// Does nothing.
struct nop {
    errand::awaitable<void> perform(item what);
};

// The same under an identity of its own.
struct unique_nop {
    errand::awaitable<void> perform(item what);
    static std::string biz_id(const item& what);
};

// Returns the id, for those who await it.
struct echo {
    errand::awaitable<std::int64_t> perform(item what);
};

// Returns how long after its submission it was started.
struct start_delay {
    errand::awaitable<std::int64_t> perform(std::int64_t submitted_ns);
};

}  // namespace load

ERRAND_DECLARE_HANDLER(load::nop, .name = "nop")
ERRAND_DECLARE_HANDLER(load::unique_nop, .name = "unique_nop")
ERRAND_DECLARE_HANDLER(load::echo, .name = "echo")
ERRAND_DECLARE_HANDLER(load::start_delay, .name = "start_delay")
