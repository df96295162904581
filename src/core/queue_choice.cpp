#include "core/queue_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace errand {

queue_choice::queue_choice(const std::map<std::string, int>& weights, bool strict) : strict_{strict} {
    std::vector<std::pair<int, std::string>> sorted;
    for (const auto& [name, weight] : weights) sorted.emplace_back(std::max(weight, 1), name);
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [weight, name] : sorted) {
        names_.push_back(std::move(name));
        weights_.push_back(weight);
    }
}

std::vector<std::string> queue_choice::order(const std::function<double()>& random) const {
    if (strict_ || names_.size() < 2) return names_;
    // Exponential draws with rate `weight`, smallest first, are a draw without replacement by weight.
    std::vector<std::pair<double, std::size_t>> draws;
    draws.reserve(names_.size());
    for (std::size_t at = 0; at < names_.size(); ++at) {
        draws.emplace_back(-std::log1p(-random()) / weights_[at], at);
    }
    std::ranges::sort(draws);
    std::vector<std::string> out;
    out.reserve(names_.size());
    for (const auto& draw : draws) out.push_back(names_[draw.second]);
    return out;
}

}  // namespace errand
