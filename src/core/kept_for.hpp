// For how long a list of ended tasks keeps them that are to be kept for `asked`.
#pragma once

#include <errand/time.hpp>

#include <array>

namespace errand {

// Each length is a list of its own, so there may not be any number of them: at most an eighth longer than asked, and in
// such steps that what people ask for (5 min, 12 h, 90 days) is met exactly.
constexpr duration kept_for(duration asked) noexcept {
    constexpr duration::rep second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
    constexpr std::array steps{duration::rep{1},
                               duration::rep{2},
                               duration::rep{5},
                               duration::rep{10},
                               duration::rep{20},
                               duration::rep{50},
                               duration::rep{100},
                               duration::rep{200},
                               duration::rep{500},
                               second,
                               2 * second,
                               5 * second,
                               10 * second,
                               15 * second,
                               30 * second,
                               minute,
                               2 * minute,
                               5 * minute,
                               10 * minute,
                               15 * minute,
                               30 * minute,
                               hour,
                               2 * hour,
                               3 * hour,
                               6 * hour,
                               12 * hour,
                               day,
                               2 * day,
                               5 * day,
                               10 * day,
                               20 * day,
                               50 * day,
                               100 * day,
                               200 * day,
                               500 * day,
                               1000 * day,
                               2000 * day,
                               5000 * day};
    duration::rep step = 1;
    for (const auto one : steps) {
        if (one <= asked.count() / 8) step = one;
    }
    const auto over = asked.count() % step;
    return over == 0 ? asked : duration{asked.count() + (step - over)};
}

}  // namespace errand
