#include "runtime/task_gates.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/gates.hpp"
#include "core/limit_rules.hpp"

#include <initializer_list>

namespace errand {
namespace {

bool has_keys(const known_handler& handler) noexcept {
    return handler.facts.has_concurrency_key || handler.facts.has_rate_key;
}

detail::limit_keys asked_keys(const known_handler& handler, std::string_view args) {
    if (!has_keys(handler) || !handler.code || !handler.code->keys) return {};
    const auto values = detail::parse_json(args, "args");
    if (!values.is_array()) throw bad_data{"args: expected an array"};
    return handler.code->keys(values.get_array());
}

const std::string& gate_of_namespace() {
    static const std::string gate = gate_of(gate_kind::running, limit_of_namespace, "");
    return gate;
}

bool has_namespace_gate(const task_body& body) {
    return has_gate(body.gates, gate_kind::running,
                    std::string_view{gate_of_namespace()}.substr(1, limit_number_width));
}

// Unless it has it.
void add_gate(task_body& body, gate_kind kind, std::string_view limit, std::string_view number) {
    const bool fits = body.gates.size() < most_gates * gate_width;
    if (fits && !has_gate(body.gates, kind, number)) body.gates += gate_of(kind, limit, "");
}

}  // namespace

bool has_own_limit(const known_handler& handler) noexcept {
    return handler.policy.max_running || handler.policy.rate || has_keys(handler);
}

bool has_gates(const known_handler& handler) noexcept {
    return has_own_limit(handler) || !handler.policy.limits.empty();
}

std::string gates_of_task(const known_handler& handler, const std::optional<detail::limit_keys>& keys,
                          std::string_view args) {
    std::string gates;
    if (!has_gates(handler)) return gates;
    const auto own = limit_of_handler(handler.identity);
    if (has_own_limit(handler)) {
        // Two gates although one would do without keys: a version of the program that adds a key counts what runs alike.
        const auto by = keys ? *keys : asked_keys(handler, args);
        check_limit_key(handler.name, "concurrency_key", by.concurrency);
        check_limit_key(handler.name, "rate_key", by.rate);
        gates += gate_of(gate_kind::running, own, by.concurrency);
        gates += gate_of(gate_kind::starts, own, by.rate);
    }
    for (const auto& name : handler.policy.limits) gates += gate_of(gate_kind::both, name, "");
    return gates;
}

void renew_gates(task_body& body) {
    // What its first argument will be is not known yet.
    if (body.takes_result) return;
    const auto* handler = handlers::find(body.handler);
    if (!handler || !handler->code || handler->policy.collect) return;
    const bool is_counted = has_namespace_gate(body);
    body.gates = gates_of_task(*handler, std::nullopt, body.args);
    if (is_counted) body.gates += gate_of_namespace();
}

void add_run_time_gates(const run_time_limits& set, const known_handler* handler, task_body& body) {
    if (body.rule == on_failed::gather) return;
    const auto add = [&](const std::string& limit, std::initializer_list<gate_kind> kinds) {
        const auto number = set.number_of(limit);
        if (number.empty()) return;
        for (const auto kind : kinds) add_gate(body, kind, limit, number);
    };
    // Two gates as those of a policy: a version of the program that has one counts what runs alike.
    add(limit_of_handler(handler ? handler->identity : body.handler),
        {gate_kind::running, gate_kind::starts});
    add(limit_of_queue(body.queue), {gate_kind::both});
    add(std::string{limit_of_namespace}, {gate_kind::running, gate_kind::starts});
}

void count_what_runs(const quota& rules, task_body& body, bool is_carrier) {
    if (!rules.max_running || body.rule == on_failed::gather) return;
    const auto* handler = handlers::find(body.handler);
    if (handler && handler->policy.collect && !is_carrier) return;
    if (!has_namespace_gate(body)) body.gates += gate_of_namespace();
}

bool may_have_gates(const task_id& id, std::size_t shards) noexcept {
    return shards <= 1 || shard_of_id(id, shards) == shard_of_limits;
}

task_id placed_id(const known_handler& handler, const task_id& id, std::size_t shards) noexcept {
    return shards > 1 && has_gates(handler) ? in_first_shard(id) : id;
}

}  // namespace errand
