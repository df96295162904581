#include "core/fair_shares.hpp"

#include <algorithm>
#include <numeric>

namespace errand {

// 300 and 100 take turns as 3 and 1 do: the smaller a turn, the sooner it is the others'.
fair_shares::fair_shares(const std::vector<int>& weights) : wanting_{weights.size()} {
    int common = 0;
    for (const int weight : weights) common = std::gcd(common, std::max(weight, 1));
    for (const int weight : weights)
        of_.push_back({.weight = static_cast<std::size_t>(std::max(weight, 1) / common)});
}

void fair_shares::wants(std::size_t who, bool some) {
    auto& one = of_[who];
    if (one.wants == some) return;
    one.wants = some;
    if (some) {
        ++wanting_;
        return;
    }
    --wanting_;
    given_ -= one.given;
    one.given = 0;
    one.left = 0;
    // Its turn is over: coming back at once would begin it anew.
    if (turn_ == who) turn_ = (turn_ + 1) % of_.size();
}

void fair_shares::give(std::size_t slots) {
    while (slots > 0 && wanting_ > 0) {
        auto& now = of_[turn_];
        if (now.wants) {
            if (now.left == 0) now.left = now.weight;
            const auto some = std::min(now.left, slots);
            now.given += some;
            given_ += some;
            now.left -= some;
            slots -= some;
            // Whom the lack of slots stops is the first when there are some again.
            if (now.left > 0) return;
        }
        turn_ = (turn_ + 1) % of_.size();
    }
}

void fair_shares::take(std::size_t who, std::size_t slots) {
    const auto some = std::min(slots, of_[who].given);
    of_[who].given -= some;
    given_ -= some;
}

}  // namespace errand
