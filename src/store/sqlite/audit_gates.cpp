// What is looked at of gates: who holds them, and that no group waits where nobody comes.
#include "core/digits.hpp"
#include "store/sqlite/audit.hpp"

namespace errand::sqlite {
namespace {

constexpr std::size_t looked_at_in_step = 500;

}  // namespace

audit_step audit::slots(std::string&, bool mend) {
    audit_step out;
    std::set<claim_number> gone;
    for (auto rows = sql_.audit_slots(tx_.ns(), looked_at_in_step); rows.next();) {
        gone.insert(static_cast<claim_number>(rows.number(0)));
        add_finding(out, "stray_slot", rows.bytes(1), "it holds its limits for a worker that has gone", mend);
    }
    if (mend) {
        // Whether any are held is among what may be wrong.
        if (!gone.empty() && tx_.cache().slots() <= 0)
            tx_.cache().grow_slots(static_cast<std::int64_t>(out.findings.size()));
        for (const auto number : gone) gates_.free_all(number);
        gates_.write();
    }
    std::vector<std::pair<claim_number, task_id>> strays;
    for (auto rows = sql_.audit_lines(tx_.ns(), looked_at_in_step); rows.next();)
        strays.emplace_back(static_cast<claim_number>(rows.number(0)), *task_id::from_bytes(rows.bytes(1)));
    for (const auto& [by, id] : strays) {
        add_finding(out, "stray_slot", id.view(), "it stands in line at a limit and holds none", mend);
        if (mend) sql_.leave_line.run(tx_.ns(), by, id.view());
    }
    std::map<std::string, std::int64_t> held, counted;
    for (auto rows = sql_.audit_slot_gates(tx_.ns()); rows.next(); ++out.looked_at) {
        for (auto all = rows.bytes(0); all.size() >= gate_width; all.remove_prefix(gate_width)) {
            if (counts_running(kind_of_gate(all)))
                ++held[std::string{place_of_gate(all.substr(0, gate_width))}];
        }
    }
    for (auto rows = sql_.audit_gates(tx_.ns()); rows.next(); ++out.looked_at)
        counted[std::string{rows.bytes(0)}] = rows.number(1);
    for (const auto& [place, running] : held) counted.try_emplace(place, 0);
    for (const auto& [place, running] : counted) {
        const auto there = held.contains(place) ? held.at(place) : 0;
        if (running == there) continue;
        add_finding(out, "counter", "limit",
                    std::to_string(running) + " tasks hold it by its count, " + std::to_string(there) + " do",
                    mend);
        if (mend) gates_.mend(place, there);
    }
    auto rows = sql_.audit_slot_count(tx_.ns());
    rows.next();
    const auto slots = rows.number(0);
    if (slots != tx_.cache().slots()) {
        add_finding(out, "counter", "limits",
                    std::to_string(tx_.cache().slots()) + " tasks hold limits by the count, " +
                        std::to_string(slots) + " do",
                    mend);
        if (mend) tx_.cache().grow_slots(slots - tx_.cache().slots());
    }
    return out;
}

// One queue a page; its cursor is the queue's key.
audit_step audit::groups(std::string& after, bool mend) {
    std::map<std::int64_t, queue_row*> all;
    for (auto& [name, queue] : tx_.cache().queues()) {
        if (groups_.find_list(queue)) all[queue.k] = &queue;
    }
    audit_step out;
    auto* queue = next_row(all, after);
    if (!queue) return out;
    look_at_groups(*queue, groups_.list(*queue), out, mend);
    look_at_stops(*queue, out, mend);
    return out;
}

void audit::look_at_groups(queue_row& queue, list_row& in, audit_step& out, bool mend) {
    struct lost_task {
        task_id id;
        std::int64_t place;
        group_number group;
    };
    std::vector<lost_task> lost;
    for (auto rows = sql_.audit_ungrouped(in.k, queue.k, looked_at_in_step); rows.next();)
        lost.push_back({*task_id::from_bytes(rows.bytes(0)), rows.number(1), rows.number(2)});
    for (const auto& [id, place, group] : lost) {
        add_finding(out, "stuck_group", queue.name, "a task waits for limits, and nobody comes to it", mend);
        if (mend && groups_.come(queue, group, place, id)) queues_.became_ready(queue);
    }
    std::vector<std::pair<group_number, std::int64_t>> strays;
    for (auto rows = sql_.audit_strays(in.k, tx_.ns(), looked_at_in_step); rows.next();)
        strays.emplace_back(rows.number(0), rows.number(1));
    for (const auto& [group, place] : strays) {
        add_finding(out, "idle_group", queue.name, "a task of a group that is not there", mend);
        if (mend) groups_.left(in, group, place);
    }
    struct wrong_group {
        group_number number;
        std::string gate;
        bool empty;
    };
    std::vector<wrong_group> wrong;
    for (auto rows = sql_.audit_groups(queue.k, in.k, tx_.ns(), looked_at_in_step); rows.next();) {
        ++out.looked_at;
        if (rows.number(2) != 0 || rows.number(3) != 0)
            wrong.push_back({rows.number(0), std::string{rows.bytes(1)}, rows.number(2) != 0});
    }
    for (const auto& [number, gate, empty] : wrong) {
        add_finding(out, empty ? "idle_group" : "stuck_group", queue.name,
                    empty ? "a group that has no task" : "tasks wait at a limit, and nobody looks at it",
                    mend);
        if (!mend) continue;
        if (empty) {
            groups_.drop(queue, number);
        } else {
            groups_.look_at(gate, queue);
        }
    }
}

// One that is open, or opens, without anybody to come.
void audit::look_at_stops(queue_row& queue, audit_step& out, bool mend) {
    std::vector<std::string> wrong;
    for (auto rows = sql_.audit_stops(queue.k, tx_.ns()); rows.next();) {
        ++out.looked_at;
        const bool is_looked_at = !rows.is_null(1), on_the_way = rows.number(2) != 0;
        if (is_looked_at || on_the_way) continue;
        if (gates_.look(rows.bytes(0)).how != gate_look::standing::full) wrong.emplace_back(rows.bytes(0));
    }
    for (const auto& gate : wrong) {
        add_finding(out, "stuck_group", queue.name, "tasks wait at a limit that is open", mend);
        if (mend) groups_.look_at(gate, queue);
    }
}

}  // namespace errand::sqlite
