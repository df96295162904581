// The options of scripts/fault: one set for all that it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trial {

struct wishes {
    std::string outbox{};  // the database of a shop whose outbox is tried; empty: the mixed load
    std::string shelf{};   // the database of a shelf that is tried
    bool piles = false;    // what the dead leave behind is tried: `--long`
    int seconds = 60;
    unsigned seed = 1;
    std::string store = "redis";
    std::string mode = "always";
    std::string hand = "hand";
    int rate = 0;  // 0: what suits the mode
    std::vector<std::string> only{};
    bool no_lots = false;
    bool no_schedules = false;
    bool no_limits = false;
    bool no_mount = false;
    int pause = 0;
    std::size_t shards = 1;  // of one worker alone
    int patience = 90;
    std::int64_t things = 100'000;  // of each kind that piles up
    bool untimed = false;           // neither how long scripts take is judged then, nor memory
};

// Nothing when all has been said, and the program is to end with `status`: a word was not understood, which is told in a
// sentence, or help was asked for.
std::optional<wishes> read_wishes(int count, char** words, int& status);

}  // namespace trial
