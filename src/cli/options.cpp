#include "cli/options.hpp"

#include <errand/error.hpp>

#include "cli/session.hpp"
#include "cli/text.hpp"
#include "core/config_text.hpp"

#include <boost/json/parse.hpp>

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

void declare_due(CLI::App& line, due_options& values) {
    line.add_option("--in", values.in, "Due so long from now, such as 5m")->type_name("TIME");
    line.add_option("--at", values.at, "Due then, such as 2026-12-01T08:00:00Z")->type_name("INSTANT");
    line.add_flag("--now", values.now, "Due at once");
}

std::optional<time_point> due_of(const due_options& values) {
    const int given = (values.in.empty() ? 0 : 1) + (values.at.empty() ? 0 : 1) + (values.now ? 1 : 0);
    if (given == 0) return std::nullopt;
    if (given > 1) throw usage_error{"say when once: --in 5m, --at 2026-12-01T08:00:00Z or --now"};
    if (values.now) return time_point{};
    return values.in.empty() ? need_instant("--at", values.at) : clock_now() + need_delay("--in", values.in);
}

errand::state need_state(const std::string& name) {
    if (const auto state = parse_state(name)) return *state;
    throw usage_error{"\"" + name + "\" is no state; the states are " + joined(detail::state_names, ", ")};
}

duration need_length(const std::string& option, const std::string& text) {
    if (const auto length = parse_duration(text)) return *length;
    throw usage_error{
        option + ": \"" + text +
        "\" is no length of time; write a number with its unit, such as 500ms, 30s, 5m, 2h or 7d"};
}

duration need_delay(const std::string& option, const std::string& text) {
    if (!text.starts_with('-')) return need_length(option, text);
    need_length(option, text.substr(1));
    return duration{0};
}

time_point need_instant(const std::string& option, const std::string& text) {
    if (const auto at = parse_instant(text)) return *at;
    throw usage_error{option + ": \"" + text +
                      "\" is no point in time; write it with its zone, such as 2026-12-01T08:00:00Z"};
}

boost::json::array need_args(const std::string& text) {
    boost::system::error_code ec;
    auto value = boost::json::parse(text, ec);
    if (ec || !value.is_array()) {
        throw usage_error{"the arguments are one JSON array, such as '[1, \"two\"]', and not " + text};
    }
    return std::move(value.as_array());
}

}  // namespace errand::cli
