// Items that are run together. They join a bundle by a worker's report (report::kind::join) and are told of its end by resolve();
// what lies between is asked for here.
#pragma once

#include <errand/awaitable.hpp>

#include "core/task_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace errand {

struct bundle_item {
    task_id id;
    std::int64_t place = 0;  // the order in which they came
    std::string body{};
    std::string notes{};  // may be empty
};

struct bundle_page {
    std::vector<bundle_item> items{};  // by id
    std::optional<task_id> last{};     // that was looked at
    bool more = false;
};

class collect_store {
public:
    // What waits for the end of this carrier, behind that id: about half a megabyte. Nothing joins its bundle any more.
    virtual awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) = 0;

protected:
    ~collect_store() = default;
};

}  // namespace errand
