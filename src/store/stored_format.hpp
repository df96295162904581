// In which format a store keeps its tasks, and who works on it, as it is said to who only looks.
#pragma once

#include "store/inspection.hpp"

#include <optional>
#include <string>
#include <vector>

namespace errand {

// What a store says of itself to who only looks: nothing is made, stamped or brought forward.
struct stored_format {
    std::string store;  // its URL without user and password
    std::optional<int>
        number;          // the format that its tasks are kept in; nullopt: nothing of errand's is there
    int oldest = 0;      // this errand works on formats from there
    int newest = 0;      // to there: older ones are brought forward to it
    bool stays = false;  // or they stay as they are
    std::vector<worker_card> workers{};  // that are alive; of a file: those of all namespaces
};

}  // namespace errand
