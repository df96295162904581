#include "core/gate_rules.hpp"

#include <algorithm>
#include <utility>

namespace errand {

bool any_counts_running(std::string_view gates) noexcept {
    for (; gates.size() >= gate_width; gates.remove_prefix(gate_width)) {
        if (counts_running(kind_of_gate(gates))) return true;
    }
    return false;
}

rate_pace pace_of_gate(const rate_limit& rate, arrival how) {
    auto pace = pace_of(rate, rate.burst, how);
    const auto spacing = (pace.round + pace.refills - 1) / pace.refills;
    pace.round = spacing * pace.refills;
    if (pace.burst > 1) pace.tolerance = spacing * (pace.burst - 1);
    return pace;
}

gate_look look_at_gate(gate_kind kind, const limit_rule& rule, const gate_state& state, std::int64_t now,
                       arrival how) {
    using enum gate_look::standing;
    if (counts_running(kind) && rule.max_running && state.running >= *rule.max_running) return {full};
    if (!counts_starts(kind) || !rule.rate) return {};
    const auto turn = take_starts(pace_of_gate(*rule.rate, how), state.kept, now, 0);
    if (turn.opens_at <= now) return {};
    return {too_soon, turn.opens_at};
}

bool settle_gate(gate_kind kind, const limit_rule& rule, gate_state& state, std::int64_t now, arrival how) {
    if (!counts_starts(kind) || !rule.rate) return false;
    const auto kept = take_starts(pace_of_gate(*rule.rate, how), state.kept, now, 0).kept;
    return std::exchange(state.kept, kept) != kept;
}

void pass_gate(gate_kind kind, const limit_rule& rule, gate_state& state, std::int64_t now, arrival how) {
    if (counts_running(kind)) ++state.running;
    if (counts_starts(kind) && rule.rate)
        state.kept = take_starts(pace_of_gate(*rule.rate, how), state.kept, now, 1).kept;
}

void leave_gate(gate_kind kind, gate_state& state) {
    if (counts_running(kind)) state.running = std::max<std::int64_t>(state.running - 1, 0);
}

bool may_run_again(gate_kind kind, const limit_rule& rule, const gate_state& state,
                   std::int64_t in_line) noexcept {
    if (!counts_running(kind) || !rule.max_running) return true;
    return state.running - in_line < std::max(*rule.max_running, 1);
}

void return_to_gate(gate_kind kind, gate_state& state) {
    if (counts_running(kind)) ++state.running;
}

}  // namespace errand
