#include "core/fair_shares.hpp"

#include <algorithm>

namespace errand {

fair_shares::fair_shares(const std::vector<int>& weights) {
    for (const int weight : weights)
        of_.push_back({.weight = std::max(weight, 1), .deficit = 0, .idle = false});
}

void fair_shares::give(std::size_t slots) {
    left_ = slots;
    for (auto& one : of_) one.idle = false;
}

std::vector<fair_shares::share> fair_shares::next() {
    std::vector<share> shares(of_.size());
    for (std::size_t at = 0; at < shares.size(); ++at) shares[at].whose = at;
    while (left_ > 0 && std::ranges::any_of(of_, [](const one& each) { return !each.idle; })) {
        auto& now = of_[turn_];
        if (now.deficit == 0) now.deficit = now.weight;
        if (!now.idle) {
            const auto given = std::min(static_cast<std::size_t>(now.deficit), left_);
            shares[turn_].slots += given;
            left_ -= given;
            now.deficit -= static_cast<std::int64_t>(given);
        }
        // Who was stopped by the lack of slots is the first when there are some again.
        if (now.deficit > 0 && !now.idle) break;
        now.deficit = 0;
        turn_ = (turn_ + 1) % of_.size();
    }
    std::erase_if(shares, [](const share& each) { return each.slots == 0; });
    return shares;
}

void fair_shares::took(const share& asked, std::size_t taken) {
    if (taken >= asked.slots) return;
    left_ += asked.slots - taken;
    of_[asked.whose].idle = true;
    of_[asked.whose].deficit = 0;
    if (turn_ == asked.whose) turn_ = (turn_ + 1) % of_.size();
}

}  // namespace errand
