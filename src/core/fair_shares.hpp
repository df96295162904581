// How the free slots of a worker are shared by those it serves: deficit round robin. Who has nothing to do leaves its share
// to the others and saves nothing up; who has much gets as much as its weight says.
#pragma once

#include <cstddef>
#include <vector>

namespace errand {

// Invariants: while anybody has something to do, no slot is kept from all; who has waits for at most as many slots as the
// weights of all others together, divided by what all weights have in common.
class fair_shares {
public:
    // >= 1 each.
    explicit fair_shares(const std::vector<int>& weights);

    // Whether there may be something to do; at first there may, for each. Who has nothing gives back what it was given and
    // has not taken.
    void wants(std::size_t who, bool some);
    // Gives away so many slots more, as far as anybody wants some.
    void give(std::size_t slots);
    // What it was given and has not taken yet; of all together.
    std::size_t given(std::size_t who) const noexcept { return of_[who].given; }
    std::size_t given() const noexcept { return given_; }
    // It takes so many of those that it was given.
    void take(std::size_t who, std::size_t slots);
    std::size_t size() const noexcept { return of_.size(); }

private:
    struct one {
        std::size_t weight = 1;
        std::size_t left = 0;  // slots that it may still be given before it is the others' turn
        std::size_t given = 0;
        bool wants = true;
    };

    std::vector<one> of_;
    std::size_t turn_ = 0;
    std::size_t wanting_ = 0;  // how many want some
    std::size_t given_ = 0;
};

}  // namespace errand
