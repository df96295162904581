// How tasks ended on each day, of one queue or of all: days that are over stay as they are and are read once, with many queues and days
// that is much. On the service's loop.
#pragma once

#include <errand/app.hpp>
#include <errand/inspect.hpp>

#include <chrono>
#include <map>
#include <string>

namespace errand::console {

class day_book {
public:
    // By day, of a queue; "" of all.
    using days = std::map<std::string, day_info>;

    explicit day_book(app& of) : app_{of} {}

    // Throws store_error.
    awaitable<days> of(std::string queue);

private:
    struct page {
        days known{};
        std::chrono::steady_clock::time_point read_at{};
    };

    app& app_;
    std::map<std::string, page> pages_;  // by queue
};

}  // namespace errand::console
