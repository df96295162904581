// Failures that have the same cause, as far as their texts tell. Pure.
#pragma once

#include <errand/task_info.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace errand::console {

// Type and text of an error without what is another each time: ids, numbers. "std::runtime_error: no route to host …"
std::string cause_of(const task_error& error);
// Of a task's last error; empty: it has none.
std::string cause_of(const task_info& task);

struct failure_group {
    std::string cause;
    std::string type;
    std::string sample;  // the whole text of the newest
    std::string sample_id;
    std::vector<std::string> handlers{};
    std::size_t count = 0;
    time_point first{};
    time_point last{};
};

// Adds up, by cause.
class failure_groups {
public:
    void add(const task_info& task);
    // The most frequent first.
    boost::json::array document() const;

private:
    std::vector<failure_group> all_;
};

}  // namespace errand::console
