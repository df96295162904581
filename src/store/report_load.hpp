// How much of what is to be reported goes into one call: after an outage more may wait.
#pragma once

#include "store/store.hpp"

#include <cstddef>
#include <span>

namespace errand {

inline constexpr std::size_t most_reports_per_call = 2000;

// So many of the first ones; at least one, where there is any.
inline std::size_t reports_that_fit(std::span<const report> all) {
    // For as many others a store could do as much: an item comes into its bundle by itself.
    constexpr std::size_t weight_of_join = 32;
    std::size_t n = 0;
    for (std::size_t bytes = 0, weight = 0; n < all.size(); ++n) {
        bytes += all[n].record.size();
        weight += all[n].what == report::kind::join ? weight_of_join : 1;
        if (n > 0 && (bytes > store::most_bytes_per_call || weight > most_reports_per_call)) break;
    }
    return n;
}

}  // namespace errand
