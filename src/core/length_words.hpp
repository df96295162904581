// Lengths of time as a sentence has them.
#pragma once

#include <errand/time.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace errand {

// "100 ms", "17 s", "2 min 5 s", "3 h 20 min", "20 days": two units at most, rounded down. What is negative is "0 ms".
inline std::string length_in_words(duration length) {
    struct unit {
        std::int64_t ms;
        const char* name;
    };
    constexpr std::array<unit, 4> units{
        {{86'400'000, "day"}, {3'600'000, "h"}, {60'000, "min"}, {1000, "s"}}};
    const auto ms = std::max<std::int64_t>(length.count(), 0);
    if (ms < 1000) return std::to_string(ms) + " ms";
    std::size_t first = 0;
    while (ms < units[first].ms) ++first;
    const auto count = ms / units[first].ms;
    auto text = std::to_string(count) + ' ' + units[first].name;
    if (first == 0 && count > 1) text += 's';
    if (first + 1 == units.size()) return text;
    const auto rest = ms % units[first].ms / units[first + 1].ms;
    if (rest > 0) text += ' ' + std::to_string(rest) + ' ' + units[first + 1].name;
    return text;
}

}  // namespace errand
