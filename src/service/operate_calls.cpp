// What operators do and look at beside single tasks: queues paused, tasks deleted, the graph around a task, days and figures.
#include <errand/inspect.hpp>

#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::int64_t most_in_graph = 1000;
constexpr std::int64_t most_days = 180;

constexpr std::array graph_parameters{
    field{"limit", kind::integer, "So many tasks at most, 1 to 1000 (1000): those that are nearest"},
};
constexpr std::array history_parameters{
    field{"days", kind::integer, "Of the last so many days, 1 to 180 (10)"},
};

refusal no_such_task() { return not_found("no task has this id: it never was, or is no longer kept"); }

awaitable<answer> switch_queue(call& c, bool pause) {
    const parameters none{c.in, {}};
    const auto& queue = c.part("queue");
    auto inspect = c.at.app().inspect();
    const bool changed = pause ? co_await inspect.pause(queue) : co_await inspect.resume(queue);
    co_return json_answer(json::object{{"queue", queue}, {"paused", pause}, {"changed", changed}});
}

}  // namespace

const fields graph_query{graph_parameters};
const fields history_query{history_parameters};

awaitable<answer> pause_queue(call& c) { return switch_queue(c, true); }

awaitable<answer> resume_queue(call& c) { return switch_queue(c, false); }

awaitable<answer> remove_task(call& c) {
    const parameters none{c.in, {}};
    const auto found = co_await c.at.app().find(c.part("id"));
    if (!found) throw no_such_task();
    const bool removed = co_await c.at.app().inspect().remove(found->id);
    if (!removed) {
        if (const auto now = co_await c.at.app().find(found->id); now && now->state == state::working)
            throw refusal{409, "conflict", "it runs: cancel it first, and delete it when it has ended"};
    }
    co_return json_answer(json::object{{"id", found->id}, {"removed", removed}});
}

awaitable<answer> show_graph(call& c) {
    const parameters given{c.in, graph_parameters};
    const auto most = given.integer("limit", 1, most_in_graph).value_or(most_in_graph);
    const auto graph = co_await c.at.app().graph(c.part("id"), static_cast<std::size_t>(most));
    if (!graph) throw no_such_task();
    co_return json_answer(errand::json_of(*graph));
}

awaitable<answer> show_history(call& c) {
    const parameters given{c.in, history_parameters};
    const auto days = given.integer("days", 1, most_days).value_or(10);
    const auto history = co_await c.at.app().inspect().history(static_cast<int>(days));
    co_return json_answer(json::object{{"days", json_array_of(history)}});
}

awaitable<answer> show_figures(call& c) {
    const parameters none{c.in, {}};
    const auto figures = co_await c.at.app().inspect().figures();
    co_return json_answer(errand::json_of(figures));
}

}  // namespace errand::web
