// submit: the usual item, which depends on nothing and whose batch is no transaction, is decided and written by itself.
#include "store/sqlite/ledger.hpp"
#include "store/sqlite/outcome_front.hpp"

#include <algorithm>
#include <tuple>

namespace errand::sqlite {

std::vector<submit_answer> ledger::submit(std::span<const submission_item> items, submit_mode mode) {
    const bool alone = mode == submit_mode::each && std::ranges::none_of(items, &submission_item::waits);
    if (!alone) return submit_together(items, mode);
    std::vector<submit_answer> answers;
    answers.reserve(items.size());
    for (const auto& item : items) answers.push_back(submit_alone(item));
    return answers;
}

bool ledger::recalls(const submission_item& item) {
    return item.may_come_again && sql_.recall(ns(), item.id.view(), incarnation_of(item.body)).next();
}

// What was answered now is what a repeat is about.
void ledger::remember(const submission_item& item, submit_verdict how) {
    using enum submit_verdict;
    if (!item.may_come_again || how == busy || how == cycle || how == gone || how == withheld) return;
    sql_.remember.run(ns(), item.id.view(), incarnation_of(item.body), now_);
}

void ledger::forget(std::span<const delivered_task> tasks) {
    for (const auto& one : tasks) sql_.forget.run(ns(), one.id.view(), one.life);
}

submit_answer ledger::submit_alone(const submission_item& item) {
    if (recalls(item)) return {submit_verdict::duplicate, incarnation_of(item.body)};
    auto got = decide_alone(item);
    remember(item, got.verdict);
    return got;
}

submit_answer ledger::decide_alone(const submission_item& item) {
    const auto life = incarnation_of(item.body);
    const submit_answer accepted{submit_verdict::accepted, life};
    // An id that was made for this task is not looked for first.
    const bool may_be_known = has_biz_id(item.body) || item.conflict != on_conflict::keep;
    std::optional<task_row> held;
    if (may_be_known) held = row_of(item.id);
    if (!held) {
        const auto [to, at] = target_of(item);
        if (insert(item, *to, at)) return accepted;
        held = row_of(item.id);
    }
    const auto how = judge(item.id, *held, item.conflict);
    const bool writes = how == submit_verdict::accepted || how == submit_verdict::replaced;
    const auto before = held->life;
    if (writes) write_over(item, *held, how, nullptr, 0);
    return how == submit_verdict::accepted ? accepted : submit_answer{how, before};
}

// What becomes of an item whose id is held; accepted: it begins a new life.
submit_verdict ledger::judge(const task_id& id, const task_row& held, on_conflict conflict) {
    if (held.ended()) {
        auto holds = unique_for(held.outcome);
        // The child of a stage is taken up for as long as its result is there.
        const bool success = held.where() == state::success;
        if (conflict == on_conflict::adopt && success) holds = std::max(holds, retention_of(held.outcome));
        if (held.finished_at() + holds > now_)
            return keeps_holder(conflict) ? submit_verdict::duplicate : submit_verdict::rejected;
        // Those that wait for that success hear of it before another life begins.
        return success && any_edges() && any_news(id, tidings::success) ? submit_verdict::busy
                                                                        : submit_verdict::accepted;
    }
    if (held.where() == state::waiting) {
        if (const auto record = waiting_of(id); record && record->phase == 'r') return submit_verdict::busy;
    }
    if (keeps_holder(conflict)) return submit_verdict::duplicate;
    if (conflict == on_conflict::reject || started(held)) return submit_verdict::rejected;
    return submit_verdict::replaced;
}

// Whether an attempt was ever made: its notes count it, or know when it began, or that it was revived.
bool ledger::started(const task_row& row) const {
    if (row.claim) return true;
    if (row.notes.empty()) return false;
    const auto notes = decode_notes(row.notes);
    return notes.attempts != 0 || notes.started_at || notes.revived;
}

std::optional<std::int64_t> ledger::due_of(const submission_item& item) const {
    std::optional<std::int64_t> due;
    if (item.at) {
        due = item.at->time_since_epoch().count();
    } else if (item.delay && item.delay->count() > 0) {
        due = upper_ + item.delay->count();
    }
    if (due && *due <= now_) due.reset();
    return due;
}

std::optional<std::int64_t> ledger::expiry_of(const submission_item& item) const {
    if (!item.expires_after) return std::nullopt;
    return due_of(item).value_or(upper_) + item.expires_after->count();
}

std::pair<list_row*, std::int64_t> ledger::target_of(const submission_item& item) {
    return free_place(cache_->queue(item.queue), item.priority, due_of(item));
}

bool ledger::insert(const submission_item& item, list_row& to, std::int64_t at) {
    std::int64_t body = 0;
    std::optional<std::string_view> small{item.body};
    if (item.body.size() > most_small) {
        sql_.submit_body.run(*std::exchange(small, std::nullopt));
        body = in_.last_row();
    }
    sql_.submit_task.run(ns(), item.id.view(), to.k, at, body, incarnation_of(item.body), item.priority,
                         expiry_of(item), small);
    if (!in_.changed()) {
        if (body != 0) sql_.drop_body.run(body);
        return false;
    }
    cache_->grow(to, 1);
    return true;
}

// A new life of an ended task, or other arguments for one that never started: the row stays, what is in it is new.
// Without a list, the task becomes free to run.
void ledger::write_over(const submission_item& item, task_row& held, submit_verdict how, list_row* to,
                        std::int64_t at) {
    std::string_view body{item.body};
    std::string kept;
    auto life = incarnation_of(item.body);
    if (how == submit_verdict::replaced) {
        // The task stays the same one to those who hold a handle of it: it keeps its life.
        kept = body;
        const auto old = body_of(held);
        kept.replace(task_body::incarnation_offset, 8, old, task_body::incarnation_offset, 8);
        body = kept;
        life = held.life;
    } else {
        drop_stages(item.id);
    }
    if (!to) {
        forget_waiting(item.id);
        std::tie(to, at) = target_of(item);
    }
    change_list(held, *to);
    change_body(item.id, held, body);
    sql_.submit_again.run(ns(), item.id.view(), to->k, at, life, item.priority, expiry_of(item));
}

}  // namespace errand::sqlite
