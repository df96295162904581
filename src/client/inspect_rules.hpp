// What follows from counters that only grow: rates, and what happened on each day. Pure.
#pragma once

#include <errand/inspect.hpp>

#include "store/inspection.hpp"

#include <string>
#include <vector>

namespace errand {

struct queue_rates {
    double finished = 0;  // a second
    double failed = 0;
};

// Over the last five minutes, or as far back as is known.
queue_rates rates_of(const totals_answer& happened, const std::string& queue);

struct queue_sums {
    std::int64_t finished = 0;
    std::int64_t failed = 0;
    queue_totals by_end{};
};

// Since the namespace was made.
queue_sums sums_of(const totals_answer& happened, const std::string& queue);

// The newest day first, then by queue; only queues to which something happened.
std::vector<day_info> days_of(const totals_answer& happened, int days);

}  // namespace errand
