// What follows from a trial's jumps of the store's clock. Times of the store and of the monotonic clock in ms.
#pragma once

#include "trial/chronicle.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trial {

// When the store's clock may have shown this for the first time, by the monotonic clock. During a jump it may show either.
inline std::int64_t first_shown(std::int64_t of_store, const chronicle& happened) {
    std::int64_t from = 0, ahead = happened.store_ahead, first = INT64_MAX;
    for (const auto& jump : happened.jumps) {
        const auto at = std::max(from, of_store - ahead);
        if (at < jump.over()) first = std::min(first, at);
        if (first <= jump.when) return first;
        from = jump.when;
        ahead += jump.by;
    }
    return std::min(first, std::max(from, of_store - ahead));
}

struct setting_back {
    std::int64_t when = 0;   // by the monotonic clock
    std::int64_t shown = 0;  // by the store's, until then
};

// Each time when it was set back.
inline std::vector<setting_back> settings_back(const chronicle& happened) {
    std::vector<setting_back> all;
    std::int64_t ahead = happened.store_ahead;
    for (const auto& jump : happened.jumps) {
        if (jump.by < 0) all.push_back({jump.when, jump.over() + ahead});
        ahead += jump.by;
    }
    return all;
}

}  // namespace trial
