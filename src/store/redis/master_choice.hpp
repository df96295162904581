// Which server is the master when several Sentinels say so: they hear of a switch one after the other, and one that is cut off does
// not. Pure.
#pragma once

#include "store/redis/address.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace errand::redis {

struct named_master {
    endpoint server;
    std::uint64_t epoch = 0;  // of two the later one is right
    bool operator==(const named_master&) const = default;
};

class master_choice {
public:
    // Those that the URL names, one at least.
    explicit master_choice(std::vector<endpoint> sentinels)
        : told_(sentinels.size()), sentinels_{std::move(sentinels)}, order_{sentinels_} {}

    struct news {
        bool of_master = false;  // another one is right
        bool of_order = false;   // another Sentinel is to be asked first: the one that was knows less
    };
    // `by`: the Sentinel's place in the URL.
    news hear(std::size_t by, named_master what);

    // As far as any has told.
    const std::optional<named_master>& right() const noexcept { return right_; }
    // In which they are to be asked.
    const std::vector<endpoint>& order() const noexcept { return order_; }

private:
    std::vector<std::optional<named_master>> told_;
    std::vector<endpoint> sentinels_, order_;
    std::size_t first_ = 0;  // of order_, among the sentinels
    std::optional<named_master> right_;
};

}  // namespace errand::redis
