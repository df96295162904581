#include "runtime/gate_check.hpp"

#include "core/bundles.hpp"
#include "core/gates.hpp"
#include "runtime/task_gates.hpp"

#include <string_view>

namespace errand {
namespace {

// Keys are not asked for where they are not known yet, and those that run collected items have none.
std::optional<detail::limit_keys> keys_at_hand(const task_body& body, const task_id& id) {
    if (body.takes_result || is_carrier(id)) return detail::limit_keys{};
    return std::nullopt;
}

}  // namespace

bool gate_check::adds_to(task_body& body, const task_id& id, const known_handler* handler) {
    // What a policy asks for is counted in one shard; what is set at run time is shared out among all.
    const bool limited = handler && has_gates(*handler) && may_have_gates(id, app_.settings.shards);
    const auto set = app_.overrides.limits();
    const auto quota = app_.overrides.quota_rules();
    const bool counted = quota && quota->max_running;
    if (!limited && !set && !counted) return false;
    const auto before = body.gates;
    if (limited && lacks(body, of_policy(*handler)))
        body.gates = joined_gates(gates_of_task(*handler, keys_at_hand(body, id), body.args), before);
    if (set) add_run_time_gates(*set, handler, body);
    if (counted) count_what_runs(*quota, body, is_carrier(id));
    return body.gates != before;
}

const std::string& gate_check::of_policy(const known_handler& handler) {
    const auto [at, fresh] = policies_.try_emplace(&handler);
    if (fresh) at->second = gates_of_task(handler, detail::limit_keys{}, {});
    return at->second;
}

bool gate_check::lacks(const task_body& body, std::string_view gates) {
    for (; gates.size() >= gate_width; gates.remove_prefix(gate_width)) {
        const auto kind = static_cast<gate_kind>(gates.front());
        if (!has_gate(body.gates, kind, gates.substr(1, limit_number_width))) return true;
    }
    return false;
}

report regroup_report(const claimed_task& task, const task_body& body) {
    report one;
    one.id = task.id;
    one.claim = task.claim;
    one.what = report::kind::regroup;
    one.queue = task.queue;
    one.priority = body.priority;
    one.gated = !gates_of(task.body).empty();
    one.strange = !task.notes.empty() && decode_notes(task.notes).unknown_handler > 0;
    one.record = encode(body);
    return one;
}

}  // namespace errand
