// Attempts that gave their gates back while they waited for other tasks, and come back to them.
#include "store/sqlite/gates.hpp"

namespace errand::sqlite {
namespace {

// Of those whom another gate holds up so many are looked past: they are let go there, or ask again.
constexpr int most_looked_at = 100;

}  // namespace

bool gates::any_in_line() {
    if (!tx_.any.in_line) tx_.any.in_line = sql_.any_in_line().next();
    return *tx_.any.in_line;
}

std::int64_t gates::in_line(std::string_view from, std::string_view to) {
    if (!any_in_line()) return 0;
    auto rows = sql_.in_line(tx_.ns(), from, to);
    return rows.next() ? rows.number(0) : 0;
}

bool gates::stands_in_line(const task_id& id, claim_number by) {
    return any_in_line() && sql_.stands_in_line(tx_.ns(), by, id.view()).next();
}

bool gates::has_room(std::string_view all) {
    bool room = true;
    for (; room && all.size() >= gate_width; all.remove_prefix(gate_width)) {
        const auto gate = all.substr(0, gate_width);
        const auto* limit = limit_behind(gate);
        if (!limit) continue;
        const auto place = place_of_gate(gate);
        room = may_run_again(kind_of_gate(gate), limit->rule, state_of(gate), in_line(place, place));
    }
    return room;
}

bool gates::come_back(std::string_view all, const task_id& id, claim_number by) {
    if (!any_counts_running(all)) return true;
    const bool holds = sql_.gates_held(tx_.ns(), by, id.view()).next();
    const bool waits = holds && stands_in_line(id, by);
    if (holds && !waits) return true;
    const bool runs = has_room(all);
    if (!holds) hold_again(all, id, by);
    if (runs && waits) sql_.leave_line.run(tx_.ns(), by, id.view());
    if (!runs && !waits) stand_in_line(all, id, by);
    return runs;
}

void gates::hold_again(std::string_view all, const task_id& id, claim_number by) {
    for (auto left = all; left.size() >= gate_width; left.remove_prefix(gate_width)) {
        const auto gate = left.substr(0, gate_width);
        auto& state = state_of(gate);
        return_to_gate(kind_of_gate(gate), state);
        state.changed = true;
    }
    sql_.hold_gates.run(tx_.ns(), by, id.view(), all);
    tx_.cache().grow_slots(1);
}

void gates::stand_in_line(std::string_view all, const task_id& id, claim_number by) {
    const auto since = tx_.cache().next_in_order();
    for (; all.size() >= gate_width; all.remove_prefix(gate_width)) {
        if (counts_running(kind_of_gate(all)))
            sql_.stand_in_line.run(tx_.ns(), place_of_gate(all.substr(0, gate_width)), since, by, id.view());
    }
    tx_.any.in_line = true;
}

void gates::let_run_again(std::string_view place) {
    if (!any_in_line()) return;
    const auto gate = static_cast<char>(gate_kind::both) + std::string{place};
    std::int64_t after = -1;
    for (int looks = 0; looks < most_looked_at && has_room(gate); ++looks) {
        claim_number by = 0;
        std::optional<task_id> id;
        {
            auto rows = sql_.first_in_line(tx_.ns(), place, after);
            if (!rows.next()) return;
            after = rows.number(0);
            by = static_cast<claim_number>(rows.number(1));
            id = task_id::from_bytes(rows.bytes(2));
        }
        std::string all;
        {
            auto rows = sql_.gates_held(tx_.ns(), by, id->view());
            if (rows.next()) all = rows.bytes(0);
        }
        if (all.empty() || !has_room(all)) continue;
        sql_.leave_line.run(tx_.ns(), by, id->view());
        auto rows = sql_.holder_of_claim(tx_.ns(), by);
        if (rows.next()) tx_.notify(rows.number(0), rows.bytes(1), notice::kind::may_go_on, {*id, 0, {}, {}});
    }
}

void gates::let_run_again_under(std::string_view limit) {
    if (!any_in_line()) return;
    const auto last = std::string{limit} + std::string(gate_width - 1 - limit.size(), '\xff');
    std::string place{limit};
    for (;;) {
        {
            auto rows = sql_.line_after(tx_.ns(), std::string_view{place}, std::string_view{last});
            if (!rows.next()) return;
            place = rows.bytes(0);
        }
        let_run_again(place);
    }
}

}  // namespace errand::sqlite
