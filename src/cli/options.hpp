// Options that several commands take, and the values of options as their text says. Readers throw usage_error that says what
// was expected.
#pragma once

#include <errand/inspect.hpp>
#include <errand/time.hpp>

#include <boost/json/array.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace errand::cli {

// Which tasks are meant.
struct filter_options {
    std::string queue;
    std::string handler;
    std::string biz_id;
    std::string tag;
    std::string error;

    // Whether any of them was given.
    bool any() const noexcept;
    task_filter in(errand::state where) const;
};

void declare_filter(CLI::App& line, filter_options& values);

// When a task is to be due.
struct due_options {
    std::string in;
    std::string at;
    bool now = false;
};

void declare_due(CLI::App& line, due_options& values);

// Nothing when none of the options is given; throws usage_error for more than one. --now is the beginning of time.
std::optional<time_point> due_of(const due_options& values);

errand::state need_state(const std::string& name);
duration need_length(const std::string& option, const std::string& text);
// The same, of when a task is due: what is negative is at once.
duration need_delay(const std::string& option, const std::string& text);
time_point need_instant(const std::string& option, const std::string& text);
// One JSON array.
boost::json::array need_args(const std::string& text);

}  // namespace errand::cli
