#include "service/words.hpp"

#include <algorithm>
#include <array>

namespace errand {

std::string length_text(duration length) {
    struct unit {
        std::int64_t ms;
        char name;
    };
    constexpr std::array<unit, 4> units{{{86'400'000, 'd'}, {3'600'000, 'h'}, {60'000, 'm'}, {1000, 's'}}};
    const auto ms = std::max<std::int64_t>(length.count(), 0);
    if (ms < 1000) return std::to_string(ms) + "ms";
    std::size_t first = 0;
    while (ms < units[first].ms) ++first;
    std::string text = std::to_string(ms / units[first].ms) + units[first].name;
    if (first + 1 < units.size()) {
        const auto rest = ms % units[first].ms / units[first + 1].ms;
        if (rest > 0) text += ' ' + std::to_string(rest) + units[first + 1].name;
    }
    return text;
}

std::string from_now(time_point at, time_point now) {
    return at > now ? "in " + length_text(at - now) : length_text(now - at) + " ago";
}

std::string tasks_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " task" : " tasks"); }

}  // namespace errand
