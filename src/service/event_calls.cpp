// What happens, as server-sent events: one task until its end, and how the namespace stands.
#include <errand/error.hpp>
#include <errand/inspect.hpp>

#include "core/record.hpp"
#include "service/calls.hpp"
#include "service/console/office.hpp"
#include "service/console/view.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace errand::web {

namespace json = boost::json;

namespace {

refusal gone_task() { return not_found("no task has this id: it never was, or is no longer kept"); }

awaitable<json::object> look_at_task(console::view_call c) {
    auto task = co_await c.app.find(c.which);
    if (!task) throw gone_task();
    co_await add_results(c.app, *task);
    co_return errand::json_of(*task);
}

bool has_ended(const json::object& task) {
    const auto* in = task.if_contains("state");
    if (!in || !in->is_string()) return false;
    for (const auto end : {state::success, state::dead, state::cancelled, state::expired}) {
        if (in->as_string() == to_string(end)) return true;
    }
    return false;
}

awaitable<json::object> look_at_name_space(console::view_call c) {
    const auto seen = co_await c.at.whole.see(c.cost);
    const auto away = co_await c.app.inspect().away();
    co_return json::object{{"queues", json_array_of(seen->queues)},
                           {"workers", seen->workers.size()},
                           {"complete", away.empty()}};
}

constexpr console::view task_view{"/v1 task", look_at_task, has_ended};
constexpr console::view name_space_view{"/v1", look_at_name_space};

awaitable<void> nothing() { co_return; }

// Throws refusal (429) when as many wait as may: whoever watches waits.
awaitable<answer> watch(call& c, const console::view& what, std::string which) {
    co_await c.at.wait(nothing());
    auto& there = console::office_of(c.at.shared());
    co_return there.streams.watch(c, what, std::move(which), there, false);
}

}  // namespace

awaitable<answer> watch_task(call& c) {
    const parameters none{c.in, {}};
    const auto found = co_await c.at.app().find(c.part("id"));
    // What all who watch a group are told has its members' results, which may be in other queues.
    const bool is_hidden = !c.in.only_queues.empty() && found && found->handler == group_handler;
    if (!found || is_hidden || !c.in.may_use_queue(found->queue)) throw gone_task();
    co_return co_await watch(c, task_view, found->id);
}

awaitable<answer> watch_name_space(call& c) {
    const parameters none{c.in, {}};
    co_return co_await watch(c, name_space_view, {});
}

}  // namespace errand::web
