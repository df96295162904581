// Tasks as lines of JSON that an import takes (core/import_lines.hpp): what their submission said, and beside it what they were.
#pragma once

#include <errand/inspect.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace errand {

struct export_page {
    std::vector<boost::json::object> lines;
    std::string next;            // where the next page goes on; empty: that was all
    std::size_t unreadable = 0;  // left out: this program does not have the keys of their content
};

// A page as inspector::list() has it. Throws usage_error as that does.
awaitable<export_page> export_tasks(detail::app_core& app, task_filter which, std::string after,
                                    std::size_t limit, list_order order);

}  // namespace errand
