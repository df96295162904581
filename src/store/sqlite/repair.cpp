// How what an audit finds at a single task is put right: by what the task says itself.
#include "store/sqlite/audit.hpp"
#include "store/sqlite/outcome_front.hpp"
#include "store/sqlite/seen_task.hpp"

namespace errand::sqlite {

void audit::repair(const seen_task& one) {
    using enum seen_task::damage;
    const auto id = one.id.view();
    switch (one.what) {
    case none: return;
    case no_body:
        sql_.mend_drop.run(tx_.ns(), id);
        if (one.list) tx_.cache().grow(*one.list, -1);
        return;
    case no_outcome:
        if (auto row = rows_.find(one.id)) rows_.drop(one.id, *row);
        return;
    case no_lease: return sql_.mend_lease.run(tx_.ns(), one.claim, tx_.now(), id);
    case never_deleted: return sql_.mend_claim.run(tx_.ns(), id, tx_.now());
    case forgotten: return wait_anew(one.id);
    case hidden: return aside_.put_anew(one.id, *one.list);
    // One that has ended is further than one that works, and that one than one that waits for its turn.
    case two_states: return place_anew(one.id, one.list, one.end != '-');
    case lost: return place_anew(one.id, one.list, one.list->kind == kind_of(state::working));
    case unlisted:
    case wrong_list: return place_anew(one.id, one.list, false);
    }
}

void audit::place_anew(const task_id& id, list_row* from, bool unheld) {
    if (unheld) sql_.mend_claim.run(tx_.ns(), id.view(), tx_.now());
    const auto [to, place] = rightful_place(id, unheld);
    sql_.mend_place.run(tx_.ns(), id.view(), to->k, place);
    if (from) tx_.cache().grow(*from, -1);
    tx_.cache().grow(*to, 1);
}

// Where a task belongs by its claim, its outcome, what it waits for; else it is ready.
std::pair<list_row*, std::optional<std::int64_t>> audit::rightful_place(const task_id& id, bool unheld) {
    std::string outcome, bytes;
    bool claimed = false;
    {
        auto rows = sql_.mend_row(tx_.ns(), id.view());
        rows.next();
        claimed = !rows.is_null(0);
        outcome = rows.bytes(1);
        bytes = rows.bytes(2);
    }
    const auto body = decode_body(bytes);
    auto& queue = tx_.cache().queue(body.queue);
    if (!outcome.empty()) {
        sql_.mend_claim.run(tx_.ns(), id.view(), tx_.now());
        return {&tx_.cache().list(queue, kind_of(ended_as(outcome)), retention_of(outcome)), tx_.now()};
    }
    if (claimed && !unheld) return {&tx_.cache().list(queue, kind_of(state::working)), std::nullopt};
    if (edges_.waiting_of(id)) return {&tx_.cache().list(queue, kind_of(state::waiting)), tx_.now()};
    return queues_.free_place(queue, body.priority, std::nullopt, group_in(body.queue, bytes), id);
}

// Its body says what it waits for; who looks at it next finds whether that is still so.
void audit::wait_anew(const task_id& id) {
    const auto row = rows_.find(id);
    const auto body = decode_body(rows_.body_of(*row));
    std::vector<parent_task> parents;
    for (const auto& parent : body.after) parents.push_back({parent});
    edges_.tie(id, edges_.weigh(body.rule, parents, {}));
    const auto due = body.due_at ? body.due_at->time_since_epoch().count() : 0;
    edges_.keep_waiting(id, {waiting_phase::waits, body.rule, due});
    edges_.announce(id, tidings::check);
}

}  // namespace errand::sqlite
