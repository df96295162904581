// The mixed load of the trial: what tests/trial/hand.cpp submits and runs.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <string>

namespace errand::test {
class task_journal;
}

namespace trial {

// Which attempt gave the result.
struct mark {
    std::uint64_t fence = 0;
    int pid = 0;
    std::string padding{};
};

// The number tells one submission from all others.
struct chore {
    errand::test::task_journal& book;
    explicit chore(errand::test::task_journal& j) : book{j} {}

protected:
    // Takes so long, and dies in the middle if that is this worker's lot.
    errand::awaitable<void> toil(errand::duration length);
    // The work is done, and the store not told yet.
    errand::awaitable<mark> done(int number);
};

struct quick : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number);
};
struct slow : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number, errand::duration length);
};
// So many attempts fail.
struct failing : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number, int failures);
};
// Puts it off, every other time.
struct snoozing : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number);
};
// Ends dead.
struct broken : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number);
};
// Its argument, its result and what its first attempts failed with are large.
struct large : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number, std::string text);
};
// What it tells of itself is large, and comes with it to whoever takes it over.
struct noisy : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number);
};
// The run of a schedule; some fail at first. The number is that of the declaration.
struct recurring : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number, errand::duration length);
};
struct staged : chore {
    using chore::chore;
    errand::awaitable<mark> perform(int number);
};

inline constexpr int stages_of_staged = 3;
// Of a task that snoozes or fails by itself.
inline constexpr auto short_pause = std::chrono::milliseconds{40};

inline constexpr std::size_t text_of_noisy = 300'000;
// Of the arguments and results of large ones: up to the limit, with room for what stands around it.
inline constexpr int most_text = 1'000'000;

}  // namespace trial

// What ends a task but its own work would make it another kind: no worker's death may use its attempts up.
#define TRIAL_HANDLER(type) \
    ERRAND_DECLARE_HANDLER(type, .max_retry = 1000, .backoff = errand::backoff::uniform(trial::short_pause))
TRIAL_HANDLER(trial::quick)
TRIAL_HANDLER(trial::slow)
TRIAL_HANDLER(trial::failing)
TRIAL_HANDLER(trial::snoozing)
TRIAL_HANDLER(trial::broken)
TRIAL_HANDLER(trial::large)
TRIAL_HANDLER(trial::noisy)
TRIAL_HANDLER(trial::staged)
TRIAL_HANDLER(trial::recurring)
#undef TRIAL_HANDLER
