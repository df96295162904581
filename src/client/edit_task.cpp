#include "client/edit_task.hpp"

#include <errand/error.hpp>

#include "runtime/parent_links.hpp"
#include "runtime/task_gates.hpp"

#include <boost/json/serialize.hpp>

#include <functional>

namespace errand {
namespace {

// Others may change the task between the look and the step; each time one of them gets ahead.
constexpr int most_edits = 50;

// `alter` makes the new body; false: the task is to stay as it is.
awaitable<std::optional<bool>> edit_on(store& in, task_id id, incarnation life, bool unstarted_only,
                                       std::function<bool(const found_task&, task_body&, edit_call&)> alter) {
    for (int tries = 0; tries < most_edits; ++tries) {
        const auto found = co_await in.find(id);
        if (!found || (life != 0 && incarnation_of(found->body) != life)) co_return std::nullopt;
        if (is_end(found->where) || found->where == state::working) co_return false;
        auto body = decode_body(found->body);
        edit_call call{.id = id, .seen = found->body, .body = {}, .due_at = {}, .expires_at = {}};
        call.unstarted_only = unstarted_only;
        if (!alter(*found, body, call)) co_return false;
        if (call.due_at && body.expires_after) call.expires_at = *call.due_at + *body.expires_after;
        call.body = encode(body);
        const auto verdict = co_await in.edit(call);
        if (verdict == edit_verdict::unknown) co_return std::nullopt;
        if (verdict != edit_verdict::changed) co_return verdict == edit_verdict::done;
    }
    throw store_error{"task " + to_text(id) +
                      " was not changed: others changed it again and again meanwhile; try once more"};
}

void alter_body(task_body& body, const task_change& what, bool gated) {
    if (what.args) {
        body.args = boost::json::serialize(*what.args);
        if (gated) renew_gates(body);
    }
    if (what.priority) body.priority = static_cast<std::uint8_t>(*what.priority);
}

awaitable<std::optional<bool>> revive_as_on(store& in, task_id id, incarnation life,
                                            std::optional<task_change> other) {
    const auto found = co_await in.find(id);
    if (!found || (life != 0 && incarnation_of(found->body) != life)) co_return std::nullopt;
    if (!found->finished_at || found->where == state::success) co_return false;
    // A group is not run: it comes back with its members.
    auto body = decode_body(found->body);
    if (body.rule == on_failed::gather) co_return false;
    const auto outcome = decode_outcome(found->outcome);
    task_notes notes = outcome.notes.value_or(task_notes{});
    // Who ended it aside has left them where they were.
    if (!outcome.notes && !found->notes.empty()) notes = decode_notes(found->notes);
    // Who did not know its handler does not come to know it by this.
    notes.attempts = notes.lost_leases = 0;
    notes.snoozed = false;
    notes.revived = true;
    if (notes.flow) count_change(*notes.flow);
    const auto record = encode(notes);
    std::string other_body;
    if (other) {
        // What a flow is run with is its content, which its type's programs change.
        if (found->where != state::dead || notes.flow) co_return false;
        alter_body(body, *other, may_have_gates(id, in.shards()));
        other_body = encode(body);
    }
    co_return co_await in.revive(id, incarnation_of(found->body), *found->finished_at, record, other_body);
}

}  // namespace

awaitable<cancel_answer> cancel_on(store& in, task_id id, incarnation life, duration retention) {
    task_outcome outcome;
    outcome.ended_as = state::cancelled;
    outcome.retention = retention;
    const auto record = encode(outcome);
    co_return co_await in.cancel(id, life, record);
}

awaitable<std::optional<bool>> revive_on(store& in, task_id id, incarnation life) {
    return revive_as_on(in, id, life, std::nullopt);
}

awaitable<std::optional<bool>> revive_with_dependents_on(store& in, task_id id, incarnation life) {
    const auto revived = co_await revive_on(in, id, life);
    if (revived.value_or(false)) co_await revive_dependents(in, id);
    co_return revived;
}

awaitable<std::optional<bool>> reschedule_on(store& in, task_id id, incarnation life, time_point due_at) {
    return edit_on(in, id, life, false, [due_at](const found_task& found, task_body& body, edit_call& call) {
        call.due_at = due_at;
        // A retry has its own time; the one for which the task was asked stays.
        if (found.where != state::retry) body.due_at = due_at;
        return true;
    });
}

awaitable<std::optional<bool>> change_on(store& in, task_id id, incarnation life, task_change what) {
    const bool gates = may_have_gates(id, in.shards());
    const auto alter = [what, gates](const found_task&, task_body& body, edit_call& call) {
        // A group has no arguments of its own.
        if (body.rule == on_failed::gather) return false;
        alter_body(body, what, gates);
        if (what.due_at) body.due_at = call.due_at = what.due_at;
        return true;
    };
    const auto changed = co_await edit_on(in, id, life, true, alter);
    if (changed.value_or(true) || !what.args || what.due_at) co_return changed;
    // It may be dead.
    const auto revived = co_await revive_as_on(in, id, life, what);
    if (revived.value_or(false)) co_await revive_dependents(in, id);
    co_return revived;
}

awaitable<remove_verdict> remove_on(store& in, task_id id) {
    task_outcome outcome;
    outcome.ended_as = state::cancelled;
    const auto record = encode(outcome);
    co_return co_await in.remove(id, record);
}

}  // namespace errand
