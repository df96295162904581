// How tasks ended on each day, of one queue or of all: days that are over stay as they are and are read once, with many queues and days
// that is much. On the service's loop.
#pragma once

#include <errand/app.hpp>
#include <errand/inspect.hpp>

#include <chrono>
#include <cstddef>
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

    // So many queues are kept at most; the one that was asked for longest ago makes room.
    static constexpr std::size_t most_pages = 20;
    std::size_t pages() const noexcept { return pages_.size(); }

private:
    struct page {
        days known{};
        std::chrono::steady_clock::time_point read_at{};
    };

    void keep(const std::string& queue, page read);

    app& app_;
    std::map<std::string, page> pages_;  // by queue
};

}  // namespace errand::console
