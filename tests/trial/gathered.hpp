// Tasks of the trial that are collected: several are run together.
#pragma once

#include "trial/chores.hpp"
#include "trial/gathering.hpp"

#include <string>
#include <vector>

namespace trial {

// What tells one submission of it from all others, and which are run together.
struct piece {
    int number = 0;
    int key = 0;
};

// Of a run one line for each item, `batch:CARRIER KEY NUMBER FENCE`, then `listed:CARRIER - COUNT FENCE`, and `unfit:CARRIER KEY NUMBER
// FENCE` for each of which it says that it has failed: some do at first. Some runs fail.
struct gathered : chore {
    using chore::chore;
    static std::string collect_key(const piece& one) { return std::to_string(one.key); }
    errand::awaitable<std::vector<mark>> perform(std::vector<piece> all);
};

}  // namespace trial

ERRAND_DECLARE_HANDLER(
    trial::gathered, .max_retry = 1000, .backoff = errand::backoff::uniform(trial::short_pause),
    .collect = errand::collect_rule{.max_size = trial::most_in_batch,
                                    .max_wait = errand::duration{trial::longest_gathering_ms}})
