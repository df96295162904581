// The options of scripts/fault: one set for all that it runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace trial {

struct wishes {
    std::string outbox{};  // the database of a shop whose outbox is tried; empty: the mixed load
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
};

// Nothing when all has been said, and the program is to end with `status`: a word was not understood, which is told in a
// sentence, or help was asked for.
std::optional<wishes> read_wishes(int count, char** words, int& status);

}  // namespace trial
