#pragma once

#include "shop.hpp"

struct check_feed {
    errand::awaitable<void> perform(std::int64_t feed);
};
struct send_report {
    errand::awaitable<void> perform();
};
ERRAND_HANDLER(check_feed)
ERRAND_HANDLER(send_report)
