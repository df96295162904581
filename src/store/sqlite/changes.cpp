#include "store/sqlite/changes.hpp"

#include <algorithm>
#include <tuple>

namespace errand::sqlite {
namespace {

// In more than its priority.
bool is_another(const edit_call& call) {
    const auto rest = [](std::string_view body) { return body.substr(task_body::priority_offset + 1); };
    return rest(call.seen) != rest(call.body);
}

}  // namespace

cancel_answer changes::cancel(const task_id& id, incarnation life, std::string_view outcome) {
    auto row = rows_.find(id);
    if (!row || (life != 0 && row->life != life)) return {};
    if (row->ended()) return {.known = true, .cancelled = row->where() == state::cancelled};
    if (row->claim) {
        tell_worker(id, *row->claim);
    } else {
        endings_.leave_waiting(id, *row);
    }
    endings_.bury(id, *row, outcome);
    return {.known = true, .cancelled = true};
}

void changes::tell_worker(const task_id& id, claim_number claim) {
    auto rows = sql_.holder_of_claim(tx_.ns(), claim);
    if (!rows.next()) return;
    tx_.notify(rows.number(0), rows.bytes(1), notice::kind::cancelled, {id, 0, {}, {}});
}

edit_verdict changes::edit(const edit_call& call) {
    auto row = rows_.find(call.id);
    if (!row) return edit_verdict::unknown;
    auto record = row->where() == state::waiting ? edges_.waiting_of(call.id) : std::nullopt;
    const auto carrier = record ? edges_.carrier_of(call.id) : std::nullopt;
    const auto carries = carrier ? rows_.find(*carrier) : std::nullopt;
    // Of one that has ended it has yet to hear.
    const bool in_run = carrier && (!carries || carries->ended() || carries->claim);
    const bool fixed = in_run || row->ended() || row->claim || (record && is_incomplete(record->phase));
    const bool started = row->started() || (carries && carries->started());
    if (fixed || (call.unstarted_only && started)) return edit_verdict::unchanged;
    if (rows_.body_of(*row) != call.seen) return edit_verdict::changed;
    if (call.notes && row->notes != call.seen_notes) return edit_verdict::changed;

    auto due = call.due_at ? std::optional{std::max<std::int64_t>(call.due_at->time_since_epoch().count(), 0)}
                           : std::nullopt;
    std::optional<std::int64_t> expires;
    if (call.expires_at) expires = call.expires_at->time_since_epoch().count();
    const int priority = priority_of(call.body);
    // An item leaves its bundle when it is to come later, or is another one: its key may be, too.
    const bool leaves = carrier && ((due && *due > tx_.now()) || (call.unstarted_only && is_another(call)));
    if (leaves) {
        edges_.leave_waiting(call.id);
        record.reset();
        due = due.value_or(0);
    }
    rows_.change_body(call.id, *row, call.body);
    const auto group = group_in(row->list->queue->name, call.body);
    auto* to = row->list;
    auto place = *row->place;
    if (record) {
        if (due && !carrier) record->due = *due > tx_.now() ? *due : 0;
        edges_.keep_waiting(call.id, *record);
    } else if (!due && to->aside()) {
        to = &aside_.take_in(decode_body(call.body));
    } else {
        std::tie(to, place) = place_after_edit(call.id, *row, group, priority, due);
    }
    if (to != row->list) {
        rows_.change_list(*row, *to);
    } else if (place != *row->place) {
        queues_.left(*row->list, row->group, *row->place);
    }
    sql_.edit.run(tx_.ns(), call.id.view(), to->k, place, priority, expires, group, call.notes);
    return edit_verdict::done;
}

std::pair<list_row*, std::int64_t> changes::place_after_edit(const task_id& id, task_row& row,
                                                             std::optional<group_number> group, int priority,
                                                             std::optional<std::int64_t> due) {
    auto& queue = *row.list->queue;
    const bool waits_for_time = row.where() != state::ready;
    const bool same_place = priority == row.priority && group == row.group;
    if (!due && (waits_for_time || same_place)) return {row.list, *row.place};
    if (!due || *due <= tx_.now() || row.where() != state::retry)
        return queues_.free_place(queue, priority, due, group, id);
    // It goes on waiting for its retry.
    if (queues_.falls_before(queue, *due)) queues_.came_to_be_first(queue);
    return {row.list, *due};
}

std::optional<remove_verdict> changes::remove(const task_id& id, std::string_view outcome) {
    auto row = rows_.find(id);
    if (!row) return remove_verdict::unknown;
    if (row->claim) return remove_verdict::working;
    if (!row->ended()) {
        endings_.leave_waiting(id, *row);
        endings_.bury(id, *row, outcome);
        if (rows_.find(id)) return std::nullopt;
        return remove_verdict::removed;
    }
    if (!edges_.untie(id)) return std::nullopt;
    edges_.forget_record(id);
    rows_.drop(id, *row);
    return remove_verdict::removed;
}

void changes::end_others(std::span<const submission_item> items, std::span<const submit_answer> answers) {
    using enum submit_verdict;
    const auto is_there = [](const submit_answer& one) {
        return one.verdict == accepted || one.verdict == replaced || one.verdict == duplicate ||
               one.verdict == registering;
    };
    for (std::size_t at = 0; at < items.size(); ++at) {
        const auto& other = items[at].instead_of;
        if (!other || !is_there(answers[at])) continue;
        const auto row = rows_.find(other->id);
        if (!row || row->life != other->life) continue;
        if (row->ended()) {
            remove(other->id, other->outcome);
        } else {
            cancel(other->id, other->life, other->outcome);
        }
    }
}

}  // namespace errand::sqlite
