// What an audit finds at a single task, and how that is put right: by what the task says itself.
#include "store/rule_letter.hpp"
#include "store/sqlite/outcome_front.hpp"
#include "store/sqlite/seen_task.hpp"

namespace errand::sqlite {
namespace {

// The kind of list in which a task of this end stands; -1 for one that has not ended.
list_kind kind_of_end(char end) {
    switch (end) {
    case 's': return kind_of(state::success);
    case 'd': return kind_of(state::dead);
    case 'c': return kind_of(state::cancelled);
    case 'x': return kind_of(state::expired);
    default: return -1;
    }
}

}  // namespace

std::string_view ledger::seen_task::kind_of(damage what) {
    switch (what) {
    case damage::no_body: return "no_body";
    case damage::unlisted: return "unlisted";
    case damage::wrong_list: return "wrong_list";
    case damage::two_states: return "two_states";
    case damage::no_lease: return "no_lease";
    case damage::never_deleted: return "never_deleted";
    case damage::no_outcome: return "no_outcome";
    case damage::forgotten: return "stuck";
    case damage::hidden: return "hidden";
    default: return "lost";
    }
}

std::string_view ledger::seen_task::judge() {
    const auto found = [this](damage is, std::string_view words) {
        what = is;
        return words;
    };
    if (!has_body) return found(damage::no_body, "it has no body");
    if (!list) return found(damage::unlisted, "it stands in a list that is not there");
    const bool works = list->kind == sqlite::kind_of(state::working), ended = is_ended(list->kind);
    const auto says = kind_of_end(end);
    if (ended && says < 0 && !claimed) return found(damage::no_outcome, "it has ended, and does not say how");
    const bool held_on = list->kind == remnants && says == sqlite::kind_of(state::success);
    if (says >= 0 && says != list->kind && !held_on)
        return found(damage::wrong_list, "it says that it has ended, and its list says otherwise");
    if (works && !claimed) return found(damage::lost, "it is working, and no claim holds it");
    if (works && !has_lease) return found(damage::no_lease, "it is working, and no lease will ever run out");
    if (!works && claimed) return found(damage::two_states, "it is in a list and working");
    if (!works && !placed)
        return ended ? found(damage::never_deleted, "it has ended, and nothing would delete it")
                     : found(damage::lost, "it has no place in its list");
    if (list->kind == sqlite::kind_of(state::waiting) && !waits)
        return found(damage::forgotten, "it waits, and nobody knows for what");
    if (astray) return found(damage::hidden, "it stands aside, and nobody who knows its handler finds it");
    return {};
}

bool ledger::is_unlisted(const task_id& id) {
    auto rows = sql_.find(ns(), id.view());
    return rows.next() && !cache_->find_list_of(rows.number(0));
}

void ledger::mend(const seen_task& one) {
    using enum seen_task::damage;
    const auto id = one.id.view();
    switch (one.what) {
    case none: return;
    case no_body:
        sql_.mend_drop.run(ns(), id);
        if (one.list) cache_->grow(*one.list, -1);
        return;
    case no_outcome:
        if (auto row = row_of(one.id)) drop(one.id, *row);
        return;
    case no_lease: return sql_.mend_lease.run(ns(), one.claim, now_, id);
    case never_deleted: return sql_.mend_claim.run(ns(), id, now_);
    case forgotten: return wait_anew(one.id);
    case hidden: return put_aside_anew(one.id, *one.list);
    // One that has ended is further than one that works, and that one than one that waits for its turn.
    case two_states: return place_anew(one.id, one.list, one.end != '-');
    case lost: return place_anew(one.id, one.list, one.list->kind == kind_of(state::working));
    case unlisted:
    case wrong_list: return place_anew(one.id, one.list, false);
    }
}

void ledger::place_anew(const task_id& id, list_row* from, bool unheld) {
    if (unheld) sql_.mend_claim.run(ns(), id.view(), now_);
    const auto [to, place] = rightful_place(id, unheld);
    sql_.mend_place.run(ns(), id.view(), to->k, place);
    if (from) cache_->grow(*from, -1);
    cache_->grow(*to, 1);
}

// Where a task belongs by its claim, its outcome, what it waits for; else it is ready.
std::pair<list_row*, std::optional<std::int64_t>> ledger::rightful_place(const task_id& id, bool unheld) {
    std::string outcome, bytes;
    bool claimed = false;
    {
        auto rows = sql_.mend_row(ns(), id.view());
        rows.next();
        claimed = !rows.is_null(0);
        outcome = rows.bytes(1);
        bytes = rows.bytes(2);
    }
    const auto body = decode_body(bytes);
    auto& queue = cache_->queue(body.queue);
    if (!outcome.empty()) {
        sql_.mend_claim.run(ns(), id.view(), now_);
        return {&cache_->list(queue, kind_of(ended_as(outcome)), retention_of(outcome)), now_};
    }
    if (claimed && !unheld) return {&cache_->list(queue, kind_of(state::working)), std::nullopt};
    if (waiting_of(id)) return {&cache_->list(queue, kind_of(state::waiting)), now_};
    ++freed_[queue.name];
    return {&cache_->list(queue, kind_of(state::ready)), cache_->back_place(body.priority)};
}

// Its body says what it waits for; who looks at it next finds whether that is still so.
void ledger::wait_anew(const task_id& id) {
    const auto row = row_of(id);
    const auto body = decode_body(body_of(*row));
    std::vector<parent_task> parents;
    for (const auto& parent : body.after) parents.push_back({parent});
    tie(id, weigh(body.rule, parents, {}));
    const auto due = body.due_at ? body.due_at->time_since_epoch().count() : 0;
    keep_waiting(id, {'w', letter_of(body.rule), due});
    announce(id, tidings::check);
}

std::int64_t ledger::count_working(const list_row& list) {
    std::vector<std::pair<claim_number, std::string>> claims;
    for (auto rows = sql_.audit_claims(ns(), 0, INT64_MAX, INT64_MAX); rows.next();)
        claims.emplace_back(static_cast<claim_number>(rows.number(0)), std::string{rows.bytes(1)});
    std::int64_t there = 0;
    for (const auto& [number, tasks] : claims) {
        for (std::string_view ids{tasks}; ids.size() >= 16; ids.remove_prefix(16)) {
            auto rows = sql_.held(ns(), ids.substr(0, 16), number);
            if (rows.next() && rows.number(2) == list.k) ++there;
        }
    }
    return there;
}

}  // namespace errand::sqlite
