// What callers do to single tasks: cancel, edit, remove.
#include "store/sqlite/ledger.hpp"

#include <algorithm>

namespace errand::sqlite {

cancel_answer ledger::cancel(const task_id& id, incarnation life, std::string_view outcome) {
    auto row = row_of(id);
    if (!row || (life != 0 && row->life != life)) return {};
    if (row->ended()) return {.known = true, .cancelled = row->where() == state::cancelled};
    if (row->claim) {
        tell_worker(id, *row->claim);
    } else {
        leave_waiting(id, *row);
    }
    bury(id, *row, outcome);
    return {.known = true, .cancelled = true};
}

// That a task it runs is not its own any more.
void ledger::tell_worker(const task_id& id, claim_number claim) {
    auto rows = sql_.holder_of_claim(ns(), claim);
    if (!rows.next()) return;
    const auto engine = rows.number(0);
    const auto worker = rows.bytes(1);
    if (engine != engine_) {
        sql_.post.run(engine, ns(), text{worker}, text{"c"}, id.view(), 0, now_, std::string_view{});
    } else if (auto* to = idle_.find(ns(), worker)) {
        notices_.push_back({to, notice::kind::cancelled, {id, 0, {}, {}}});
    }
}

edit_verdict ledger::edit(const edit_call& call) {
    auto row = row_of(call.id);
    if (!row) return edit_verdict::unknown;
    auto record = row->where() == state::waiting ? waiting_of(call.id) : std::nullopt;
    const bool fixed = row->ended() || row->claim || (record && record->phase == 'r');
    if (fixed || (call.unstarted_only && started(*row))) return edit_verdict::unchanged;
    if (body_of(*row) != call.seen) return edit_verdict::changed;

    auto due = call.due_at ? std::optional{std::max<std::int64_t>(call.due_at->time_since_epoch().count(), 0)}
                           : std::nullopt;
    std::optional<std::int64_t> expires;
    if (call.expires_at) expires = call.expires_at->time_since_epoch().count();
    const int priority = static_cast<unsigned char>(call.body.at(task_body::priority_offset));
    change_body(call.id, *row, call.body);
    auto* to = row->list;
    auto place = *row->place;
    if (record) {
        if (due) record->due = *due > now_ ? *due : 0;
        keep_waiting(call.id, *record);
    } else {
        std::tie(to, place) = place_after_edit(*row, priority, due);
    }
    if (to != row->list) change_list(*row, *to);
    sql_.edit.run(ns(), call.id.view(), to->k, place, priority, expires);
    return edit_verdict::done;
}

// Where a task stands then that does not wait for others.
std::pair<list_row*, std::int64_t> ledger::place_after_edit(task_row& row, int priority,
                                                            std::optional<std::int64_t> due) {
    auto& queue = *row.list->queue;
    const bool waits_for_time = row.where() != state::ready;
    if (!due && (waits_for_time || priority == row.priority)) return {row.list, *row.place};
    if (!due || *due <= now_ || row.where() != state::retry) return free_place(queue, priority, due);
    // It goes on waiting for its retry.
    if (falls_before(queue, *due)) freed_[queue.name] = std::max<std::size_t>(freed_[queue.name], 1);
    return {row.list, *due};
}

remove_verdict ledger::remove(const task_id& id, std::string_view outcome) {
    auto row = row_of(id);
    if (!row) return remove_verdict::unknown;
    if (row->claim) return remove_verdict::working;
    if (!row->ended()) {
        leave_waiting(id, *row);
        bury(id, *row, outcome);
        row = row_of(id);
        if (!row) return remove_verdict::removed;
    }
    while (!untie(id)) {
    }
    sql_.forget_waiting.run(ns(), id.view());
    drop(id, *row);
    return remove_verdict::removed;
}

}  // namespace errand::sqlite
