#pragma once

#include <errand/errand.hpp>

#include <cstddef>
#include <string>

// Orders <prefix>1 to <prefix>N; every tenth is submitted a second time.
struct order_run {
    std::size_t orders = 0;
    std::string prefix = "o-";
    std::size_t per_second = 0;  // 0: as fast as it goes
};

struct tally {
    std::size_t submitted = 0;   // orders that the store has accepted
    std::size_t success = 0;     // receipts that came and belong to their order
    std::size_t duplicates = 0;  // second submissions that ran nothing
    std::size_t wrong = 0;       // everything that should not be
};

errand::awaitable<tally> submit_orders(errand::app& app, order_run what);
