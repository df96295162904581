// Which of several servers is away, as far as calls tell that each concern some: whoever makes them one by one waits for it once.
// Pure: does no I/O.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace errand {

class silent_shards {
public:
    using some = std::set<std::size_t>;

    // Whether a call that concerns these would wait for one that is away.
    bool any_of(const some& shards) const {
        return std::ranges::any_of(shards, [this](std::size_t one) { return silent_.contains(one); });
    }
    void answered(const some& shards) {
        for (const auto one : shards) {
            there_.insert(one);
            silent_.erase(one);
        }
    }
    // It was one of these: known only when all others have answered.
    void failed(const some& shards) {
        some left;
        std::ranges::set_difference(shards, there_, std::inserter(left, left.end()));
        if (left.size() == 1) silent_.insert(*left.begin());
    }

private:
    some there_, silent_;
};

}  // namespace errand
