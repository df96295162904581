#include "cli/filter.hpp"

#include <errand/error.hpp>

#include <CLI/CLI.hpp>

namespace errand::cli {

bool filter_options::any() const noexcept {
    return !(queue.empty() && handler.empty() && biz_id.empty() && tag.empty() && error.empty());
}

task_filter filter_options::in(errand::state where) const {
    return {.state = where, .queue = queue, .handler = handler, .biz_id = biz_id, .tag = tag, .error = error};
}

void declare_filter(CLI::App& line, filter_options& values) {
    const auto add = [&](const char* name, std::string& value, const char* help, const char* type) {
        line.add_option(name, value, help)->type_name(type)->group("Which tasks");
    };
    add("--queue", values.queue, "Only of this queue", "QUEUE");
    add("--handler", values.handler, "Only of this handler, by its wire name", "NAME");
    add("--biz-id", values.biz_id, "Only with this biz_id", "TEXT");
    add("--tag", values.tag, "Only with this tag", "TEXT");
    add("--error", values.error, "Only with this in the type or text of the last error", "TEXT");
}

errand::state need_state(const std::string& name) {
    if (const auto state = parse_state(name)) return *state;
    std::string all;
    for (const auto one : detail::state_names) all += (all.empty() ? "" : ", ") + std::string{one};
    throw usage_error{"\"" + name + "\" is no state; the states are " + all};
}

}  // namespace errand::cli
