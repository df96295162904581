// When a task is to be due, as reschedule and change are told.
#pragma once

#include <errand/time.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace errand::cli {

struct due_options {
    std::string in;
    std::string at;
    bool now = false;
};

void declare_due(CLI::App& line, due_options& values);

// Nothing when none of the options is given; throws usage_error for more than one. --now is the beginning of time.
std::optional<time_point> due_of(const due_options& values);

}  // namespace errand::cli
