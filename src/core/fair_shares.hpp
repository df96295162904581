// How the free slots of a worker are shared by those it serves: deficit round robin. Who has too little to do leaves the
// rest of its share to the others and saves nothing up; who has much gets as much as its weight says.
#pragma once

#include <cstdint>
#include <vector>

namespace errand {

// Invariant: whoever has something to do waits for at most as many slots as the weights of all others together.
class fair_shares {
public:
    // >= 1 each.
    explicit fair_shares(const std::vector<int>& weights);

    struct share {
        std::size_t whose = 0;
        std::size_t slots = 0;
    };

    // Begins to give slots away.
    void give(std::size_t slots);
    // Whom to ask now, and for how many; empty when all slots are given away or nobody has anything left to do. To be called
    // until then, with what each has taken in between.
    std::vector<share> next();
    void took(const share& asked, std::size_t taken);

private:
    struct one {
        std::int64_t weight = 1;
        std::int64_t deficit = 0;  // slots that it may still take before it is the others' turn
        bool idle = false;         // it took less than it was offered
    };

    std::vector<one> of_;
    std::size_t turn_ = 0;
    std::size_t left_ = 0;
};

}  // namespace errand
