// Where what belongs to a task is seen elsewhere: its trace, its lines in a log. Pure.
#pragma once

#include <errand/service.hpp>
#include <errand/task_info.hpp>

#include <optional>
#include <string>

namespace errand::console {

// Throws usage_error for one that is no address of the web or names what there is not.
void check_links(const console_options& given);

// With what stands in brackets put in, percent-encoded; nullopt: `pattern` is empty, or asks for a trace that the task has not.
std::optional<std::string> link_of(const std::string& pattern, const task_info& task);

}  // namespace errand::console
