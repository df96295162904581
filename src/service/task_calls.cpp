// One task: looked at, waited for, changed.
#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/policy_rules.hpp"
#include "core/record.hpp"
#include "runtime/app_core.hpp"
#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/task_options.hpp"
#include "service/values.hpp"

#include <boost/json/object.hpp>

#include <array>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::int64_t longest_wait = 60'000;

constexpr std::array look_parameters{
    field{
        "wait_ms", kind::integer,
        "0 to 60000: while the task has not ended, the answer waits so long for its end. Without: the answer comes at "
        "once"},
};

constexpr std::array due_members{
    field{"delay_ms", kind::integer, "Due so long from now; negative: at once. One of the two is needed"},
    field{"at", kind::instant, "Due then; in the past: at once"},
};

constexpr std::array change_members{
    field{"args", kind::array, "Other arguments"},
    priority_member,
    field{"delay_ms", kind::integer, "Due so long from now; negative: at once"},
    field{"at", kind::instant, "Due then; in the past: at once. Not together with `delay_ms`"},
};

// One text for all that is not here: nobody is told whose it is.
refusal unknown_task() { return not_found("no task has this id: it never was, or is no longer kept"); }

awaitable<task_info> need_task(call& c) {
    auto found = co_await c.at.app().find(c.part("id"));
    if (!found || !c.in.may_use_queue(found->queue)) throw unknown_task();
    co_return std::move(*found);
}

refusal conflict(const std::string& message, state in) {
    return {409, "conflict", message + ": the task is " + std::string{to_string(in)}};
}

awaitable<void> wait_for_end(handle<json::value> task, duration within) {
    try {
        co_await task.result(within);
    } catch (const error&) {
        // Ended otherwise, gone, not yet: the look that follows tells it.
    }
}

// By this machine's clock or the store's: `at` is by the one, `delay_ms` by the other.
std::optional<time_point> due_of(const members& given) {
    const auto delay = given.delay("delay_ms");
    const auto at = given.instant("at");
    if (delay && at) throw bad_request("give one of \"delay_ms\" and \"at\"", "at");
    if (!delay) return at;
    return std::chrono::ceil<duration>(std::chrono::system_clock::now()) + *delay;
}

}  // namespace

const fields look_query{look_parameters};
const fields due_fields{due_members};
const fields change_fields{change_members};

awaitable<void> add_results(errand::app& app, const request& in, task_info& to) {
    if (in.only_queues.empty())
        co_await add_results(app, to);
    else if (to.handler == group_handler)
        to.result = nullptr;
}

awaitable<void> add_results(errand::app& app, task_info& to) {
    if (to.handler != group_handler || to.state != state::success) co_return;
    to.result = nullptr;
    try {
        const auto text = co_await detail::stored_result(detail::core_of(app), to.id);
        to.result = detail::parse_json(text, "result");
    } catch (const store_error&) {
        throw;
    } catch (const error&) {
        // One of its members is no longer kept, or cannot be read here: the group is there all the same.
    }
}

awaitable<answer> show_task(call& c) {
    const parameters given{c.in, look_parameters};
    const auto wait = given.integer("wait_ms", 0, longest_wait).value_or(0);
    auto task = co_await need_task(c);
    if (wait > 0 && !is_end(task.state)) {
        if (const auto handle = co_await c.at.app().find<json::value>(c.part("id"))) {
            co_await c.at.wait(wait_for_end(*handle, duration{wait}));
            task = co_await need_task(c);
        }
    }
    co_await add_results(c.at.app(), c.in, task);
    co_return json_answer(json_of(task));
}

awaitable<answer> cancel_task(call& c) {
    const parameters none{c.in, {}};
    co_await need_task(c);
    co_await c.at.app().inspect().cancel(c.part("id"));
    const auto task = co_await need_task(c);
    co_return json_answer(json::object{{"id", task.id}, {"state", to_string(task.state)}});
}

awaitable<answer> revive_task(call& c) {
    const parameters none{c.in, {}};
    co_await need_task(c);
    const bool revived = co_await c.at.app().inspect().revive(c.part("id"));
    const auto task = co_await need_task(c);
    if (!revived) throw conflict("only dead, cancelled and expired tasks are revived", task.state);
    co_return json_answer(json::object{{"id", task.id}, {"state", to_string(task.state)}});
}

awaitable<answer> reschedule_task(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, due_members};
    const auto due = due_of(given);
    if (!due) throw bad_request("say when: \"delay_ms\" or \"at\"", "at");
    co_await need_task(c);
    const bool changed = co_await c.at.app().inspect().reschedule(c.part("id"), *due);
    const auto task = co_await need_task(c);
    if (!changed) throw conflict("it runs or has ended, so it has no other due time", task.state);
    co_return json_answer(json_of(task));
}

awaitable<answer> change_task(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, change_members};
    task_change what{.args = {}, .priority = {}, .due_at = due_of(given)};
    if (const auto* args = given.array("args")) what.args = *args;
    if (const auto priority = given.integer("priority", 0, 9)) what.priority = static_cast<int>(*priority);
    if (!what.args && !what.priority && !what.due_at)
        throw bad_request("say what is to be another: \"args\", \"priority\", \"delay_ms\" or \"at\"");
    co_await need_task(c);
    const bool changed = co_await c.at.app().inspect().change(c.part("id"), std::move(what));
    const auto task = co_await need_task(c);
    if (!changed) throw conflict("it has started before, so it cannot be changed", task.state);
    co_return json_answer(json_of(task));
}

}  // namespace errand::web
