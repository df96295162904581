// One task: all that is known of it, and why it is where it is.
#include "service/console/links.hpp"
#include "service/console/office.hpp"
#include "service/console/view.hpp"
#include "service/info_json.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"
#include "service/why.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace errand::console {

namespace json = boost::json;

namespace {

// The page draws the nearest 300 of them, and lists all.
constexpr std::size_t most_nodes = 1000;

web::refusal no_task() { return web::not_found("no task has this id: it never was, or is no longer kept"); }

}  // namespace

awaitable<json::object> look_at_task(view_call c) {
    const auto task = co_await c.app.find(c.which);
    if (!task) throw no_task();
    auto document = json_of(*task);
    // A browser's numbers are not those of JSON: what users have written travels as text, and is shown as it is.
    const auto text_of = [&](const json::value& value) {
        return c.hide_args ? json::value{} : json::value{json::serialize(value)};
    };
    document["args"] = text_of(task->args);
    document["result"] = task->state == state::success ? text_of(task->result) : json::value{};
    json::array stages;
    for (const auto& one : task->stages) {
        auto shown = json_of(one);
        shown["result"] = text_of(one.result);
        stages.emplace_back(std::move(shown));
    }
    document["stages"] = std::move(stages);
    document["args_hidden"] = c.hide_args;
    const auto& options = c.at.around.options.console;
    const auto link = [&](const std::string& pattern) {
        const auto made = link_of(pattern, *task);
        return made ? json::value{*made} : json::value{};
    };
    document["trace_url"] = link(options.trace_url);
    document["log_url"] = link(options.log_url);
    // The task itself is looked at each second, what is around it as rarely as all others do.
    const std::function<awaitable<seen_around>()> look = [&at = c.at.whole]() -> awaitable<seen_around> {
        look_cost of_all;
        co_return co_await at.see(of_all);
    };
    const auto around = co_await surroundings_of(c.app, *task, look);
    document["why"] = why_text(*task, around);
    co_return document;
}

awaitable<json::object> look_at_graph(view_call c) {
    const auto graph = co_await c.app.graph(c.which, most_nodes);
    if (!graph) throw no_task();
    auto document = json_of(*graph);
    if (const auto* nodes = document.if_contains("nodes"); nodes && nodes->is_array())
        c.cost.looks(nodes->get_array().size() / 4);
    co_return document;
}

}  // namespace errand::console
