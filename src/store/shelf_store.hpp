// The shelf beside a store: a database in which tasks wait that are due far from now. Where there is none all of this is nothing.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace errand {

struct shelf_state {
    std::string shown_url;
    std::optional<time_point> next_due{};
    std::vector<std::pair<std::int64_t, std::size_t>>
        days{};  // days since 1970, and how many are due on each
};

// One look at all that will be due soon, page by page.
struct shelf_pass {
    bool begun = false, over = false;
    // The last row that was seen.
    std::int64_t due = std::numeric_limits<std::int64_t>::min() / 2;
    std::string id{};
    std::size_t rows = 50;         // of the next page: the first one shows how long they are
    std::set<std::size_t> away{};  // shards that did not take theirs, which stays: these are not asked again
    std::exception_ptr failure{};  // why something stays
};

class shelf_store {
public:
    // What is due later than in so long may wait on the shelf; nullopt: there is none.
    virtual std::optional<duration> shelf_ahead() const { return std::nullopt; }
    // Brings what will be due so soon into the store: the next page of it; how many.
    virtual awaitable<std::size_t> fetch_shelved(std::shared_ptr<shelf_pass> of) {
        of->over = true;
        co_return 0;
    }
    // What is on the shelf; nullopt: there is none.
    virtual awaitable<std::optional<shelf_state>> look_at_shelf() { co_return std::nullopt; }

protected:
    ~shelf_store() = default;
};

}  // namespace errand
