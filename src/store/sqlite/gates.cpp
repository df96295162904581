#include "store/sqlite/gates.hpp"

#include "store/sqlite/rule_text.hpp"

namespace errand::sqlite {
namespace {

constexpr std::size_t swept_at_once = 500;

template <class Each>
void for_each_gate(std::string_view all, Each each) {
    for (; all.size() >= gate_width; all.remove_prefix(gate_width)) each(all.substr(0, gate_width));
}

// Rounded up: it is open then.
time_point time_of_opening(std::int64_t nanos) { return time_point{duration{(nanos + 999'999) / 1'000'000}}; }

}  // namespace

void gates::enter() {
    limits_.clear();
    states_.clear();
    left_.clear();
}

void gates::write() {
    for (auto& [place, state] : states_) {
        if (!std::exchange(state.changed, false)) continue;
        if (state.is_fresh(nanos())) {
            sql_.drop_gate.run(tx_.ns(), std::string_view{place});
        } else {
            sql_.keep_gate.run(tx_.ns(), std::string_view{place}, state.running, state.kept);
        }
    }
}

const gates::known_limit* gates::limit_behind(std::string_view gate) {
    const auto number = limit_of_gate(gate);
    auto at = limits_.find(number);
    if (at == limits_.end()) {
        at = limits_.emplace(number, std::nullopt).first;
        auto rows = sql_.limit_behind(tx_.ns(), number);
        if (rows.next()) {
            const auto text = rows.bytes(rows.is_null(2) ? 1 : 2);
            at->second = {std::string{rows.bytes(0)}, rule_in(text), arrival_in(text)};
        }
    }
    return at->second ? &*at->second : nullptr;
}

gates::known_state& gates::state_of(std::string_view gate) {
    const auto place = place_of_gate(gate);
    if (const auto at = states_.find(place); at != states_.end()) return at->second;
    auto& state = states_[std::string{place}];
    auto rows = sql_.gate_state(tx_.ns(), place);
    if (rows.next()) {
        state.running = rows.number(0);
        state.kept = rows.number(1);
    }
    return state;
}

gate_look gates::look(std::string_view gate) {
    const auto* limit = limit_behind(gate);
    if (!limit) return {};
    return look_at_gate(kind_of_gate(gate), limit->rule, state_of(gate), nanos(), limit->how);
}

void gates::settle(std::string_view gate) {
    const auto* limit = limit_behind(gate);
    if (!limit) return;
    auto& state = state_of(gate);
    if (settle_gate(kind_of_gate(gate), limit->rule, state, nanos(), limit->how)) state.changed = true;
}

std::string_view gates::first_closed(std::string_view all) {
    std::string_view closed;
    for_each_gate(all, [&](std::string_view gate) {
        if (!closed.empty()) return;
        settle(gate);
        if (!look(gate).open()) closed = gate;
    });
    return closed;
}

std::vector<closed_gate> gates::closed_of(std::string_view all) {
    std::vector<closed_gate> closed;
    for_each_gate(all, [&](std::string_view gate) {
        const auto found = look(gate);
        if (found.open()) return;
        const auto& limit = *limit_behind(gate);
        closed_gate one{.limit = limit.name, .keyed = is_keyed(gate), .running = state_of(gate).running};
        one.running -= in_line(place_of_gate(gate), place_of_gate(gate));
        if (found.how == gate_look::standing::full) {
            one.max_running = limit.rule.max_running;
        } else {
            one.opens_at = time_of_opening(found.opens_at);
        }
        closed.push_back(std::move(one));
    });
    return closed;
}

gate_look gates::look_after_start(std::string_view gate) {
    const auto* limit = limit_behind(gate);
    if (!limit) return {};
    gate_state after = state_of(gate);
    pass_gate(kind_of_gate(gate), limit->rule, after, nanos(), limit->how);
    return look_at_gate(kind_of_gate(gate), limit->rule, after, nanos(), limit->how);
}

void gates::take(std::string_view all, const task_id& id, claim_number by) {
    bool holds = false;
    for_each_gate(all, [&](std::string_view gate) {
        const auto* limit = limit_behind(gate);
        auto& state = state_of(gate);
        pass_gate(kind_of_gate(gate), limit ? limit->rule : limit_rule{}, state, nanos(),
                  limit ? limit->how : how());
        state.changed = true;
        holds = holds || counts_running(kind_of_gate(gate));
    });
    if (!holds) return;
    sql_.hold_gates.run(tx_.ns(), by, id.view(), all);
    tx_.cache().grow_slots(1);
}

void gates::leave(std::string_view all) {
    for_each_gate(all, [&](std::string_view gate) {
        if (!counts_running(kind_of_gate(gate))) return;
        auto& state = state_of(gate);
        leave_gate(kind_of_gate(gate), state);
        state.changed = true;
        left_.emplace(place_of_gate(gate));
    });
    tx_.cache().grow_slots(-1);
}

// Who stands in line holds gates as well.
void gates::free(const task_id& id, claim_number by) {
    if (tx_.cache().slots() <= 0) return;
    bool held = false;
    for (auto rows = sql_.free_gates(tx_.ns(), by, id.view()); rows.next(); held = true)
        leave(std::string{rows.bytes(0)});
    if (held && any_in_line()) sql_.leave_line.run(tx_.ns(), by, id.view());
}

void gates::free_all(claim_number by) {
    if (tx_.cache().slots() <= 0) return;
    bool held = false;
    for (auto rows = sql_.free_all_gates(tx_.ns(), by); rows.next(); held = true)
        leave(std::string{rows.bytes(0)});
    if (held && any_in_line()) sql_.leave_lines.run(tx_.ns(), by);
}

void gates::hand_on(const task_id& id, claim_number from, claim_number to) {
    if (tx_.cache().slots() <= 0) return;
    // It had not come to run again.
    if (stands_in_line(id, from)) return free(id, from);
    sql_.hand_on_gates.run(tx_.ns(), from, to, id.view());
}

void gates::mend(std::string_view place, std::int64_t running) {
    auto& state = state_of('b' + std::string{place});
    state.running = running;
    state.changed = true;
    left_.emplace(place);
}

void gates::sweep() {
    std::vector<std::string> fresh;
    std::size_t seen = 0;
    std::string last;
    for (auto rows = sql_.page_of_gates(tx_.ns(), std::string_view{swept_}, swept_at_once); rows.next();) {
        ++seen;
        last = rows.bytes(0);
        const gate_state state{.running = rows.number(1), .kept = rows.number(2)};
        if (state.is_fresh(nanos())) fresh.push_back(last);
    }
    for (const auto& place : fresh) sql_.drop_gate.run(tx_.ns(), std::string_view{place});
    swept_ = seen == swept_at_once ? last : std::string{};
}

}  // namespace errand::sqlite
