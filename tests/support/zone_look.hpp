// What clocks of a zone show, and when they show it.
#pragma once

#include "core/time_zone.hpp"

#include <chrono>
#include <vector>

namespace errand::test {

// What clocks show.
inline std::chrono::local_seconds local_at(const time_zone& zone, std::chrono::sys_seconds instant) {
    return std::chrono::local_seconds{instant.time_since_epoch() + zone.offset_at(instant).offset};
}

// All instants at which clocks show it: none in a gap, two in an overlap.
inline std::vector<std::chrono::sys_seconds> instants_of(const time_zone& zone,
                                                         std::chrono::local_seconds local) {
    // More than the two farthest offsets are apart.
    constexpr std::chrono::hours offsets_apart{54};
    std::vector<std::chrono::sys_seconds> found;
    const std::chrono::sys_seconds middle{local.time_since_epoch()};
    for (auto at = middle - offsets_apart / 2; at < middle + offsets_apart / 2;) {
        const auto span = zone.offset_at(at);
        const std::chrono::sys_seconds instant{local.time_since_epoch() - span.offset};
        if (instant >= span.begin && instant < span.end) found.push_back(instant);
        at = span.end;
    }
    return found;
}

}  // namespace errand::test
