#include "store/redis/master_choice.hpp"

#include <algorithm>
#include <utility>

namespace errand::redis {

// Who has told nothing yet stays first: it may know as much, and one that cannot be reached is passed over anyway.
master_choice::news master_choice::hear(std::size_t by, named_master what) {
    told_.at(by) = std::move(what);
    // An empty one comes before all others.
    const auto newest = [](const auto& one) { return one ? one->epoch + 1 : 0; };
    const auto best = std::ranges::max_element(told_, {}, newest);
    news all{.of_master = right_ != *best};
    right_ = *best;
    if (told_[first_] && told_[first_]->epoch < right_->epoch) {
        all.of_order = true;
        first_ = static_cast<std::size_t>(best - told_.begin());
        order_ = sentinels_;
        std::ranges::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(first_),
                            order_.begin() + static_cast<std::ptrdiff_t>(first_) + 1);
    }
    return all;
}

}  // namespace errand::redis
