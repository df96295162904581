// Options that say which tasks are meant.
#pragma once

#include <errand/inspect.hpp>

#include <string>

namespace CLI {
class App;
}

namespace errand::cli {

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

// The state of that name. Throws usage_error that lists them.
errand::state need_state(const std::string& name);

}  // namespace errand::cli
