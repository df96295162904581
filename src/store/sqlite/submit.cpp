// submit: the usual item, which depends on nothing and whose batch is no transaction, is decided and written by itself.
#include "store/sqlite/outcome_front.hpp"
#include "store/sqlite/submissions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace errand::sqlite {

submitted submissions::submit(std::span<const submission_item> items, submit_mode mode) {
    tangled_.clear();  // of a call that threw
    submitted got;
    const bool alone = mode == submit_mode::each && std::ranges::none_of(items, &submission_item::waits);
    if (alone) {
        got.answers.reserve(items.size());
        for (const auto& item : items) got.answers.push_back(submit_alone(item));
    } else {
        got.answers = submit_together(items, mode);
    }
    const auto refused_for_good = [](const submit_answer& one) {
        return one.verdict == submit_verdict::rejected || one.verdict == submit_verdict::gone ||
               one.verdict == submit_verdict::cycle;
    };
    if (mode == submit_mode::each || std::ranges::none_of(got.answers, refused_for_good))
        got.tangled = std::exchange(tangled_, {});
    got.wrote = std::ranges::any_of(got.answers, is_written, &submit_answer::verdict);
    return got;
}

bool submissions::untangle(const task_id& id) {
    const auto row = rows_.find(id);
    // Somebody else was sooner, or it was taken up again.
    if (!row || !row->ended()) return true;
    // From now on no revival of what it waited for takes it up again.
    edges_.forget_record(id);
    return edges_.forget_some(id);
}

bool submissions::recalls(const submission_item& item) {
    return item.may_come_again && sql_.recall(tx_.ns(), item.id.view(), incarnation_of(item.body)).next();
}

// What was answered now is what a repeat is about.
void submissions::remember(const submission_item& item, submit_verdict how) {
    using enum submit_verdict;
    if (!item.may_come_again || how == busy || how == cycle || how == gone || how == withheld) return;
    sql_.remember.run(tx_.ns(), item.id.view(), incarnation_of(item.body), tx_.now());
}

void submissions::forget(std::span<const delivered_task> tasks) {
    for (const auto& one : tasks) sql_.forget.run(tx_.ns(), one.id.view(), one.life);
}

void submissions::submit_where_free(const submission_item& item) {
    if (sql_.find(tx_.ns(), item.id.view()).next()) return;
    const auto [to, at] = target_of(item);
    insert(item, *to, at);
}

submit_answer submissions::submit_alone(const submission_item& item) {
    if (recalls(item)) return {submit_verdict::duplicate, incarnation_of(item.body)};
    auto got = decide_alone(item);
    remember(item, got.verdict);
    return got;
}

submit_answer submissions::decide_alone(const submission_item& item) {
    const auto life = incarnation_of(item.body);
    const submit_answer accepted{submit_verdict::accepted, life};
    // An id that was made for this task is not looked for first.
    const bool may_be_known = has_biz_id(item.body) || item.conflict != on_conflict::keep;
    std::optional<task_row> held;
    if (may_be_known) held = rows_.find(item.id);
    if (!held) {
        const auto [to, at] = target_of(item);
        if (insert(item, *to, at)) return accepted;
        queues_.left(*to, group_of_item(item), at);
        held = rows_.find(item.id);
    }
    const auto how = judge_held(item.id, *held, item.conflict, false);
    const auto before = held->life;
    if (is_written(how)) write_over(item, *held, how, nullptr, 0);
    return how == submit_verdict::accepted ? accepted : submit_answer{how, before};
}

submit_verdict submissions::judge_held(const task_id& id, const task_row& row, on_conflict conflict,
                                       bool asks) {
    id_holder held{.where = row.where()};
    if (row.ended()) {
        held.finished_at = time_point{duration{row.finished_at()}};
        held.unique_for = duration{unique_for(row.outcome)};
        if (held.where == state::success) held.retention = duration{retention_of(row.outcome)};
    } else {
        held.started = row.started();
        if (held.where == state::waiting) {
            const auto record = edges_.waiting_of(id);
            held.registering = record && is_incomplete(record->phase);
            held.started = held.started || edges_.bundle_started(id);
            held.tangled = conflict == on_conflict::replace && edges_.is_tangled(id);
        }
    }
    const auto how = judge(held, conflict, tx_.time(),
                           [&] { return edges_.any() && edges_.any_news(id, tidings::success); });
    // Before another life begins what an ended task waited for is forgotten, in steps. Inside of a user's transaction there are
    // none: it is one.
    const bool begins = row.ended() && how == submit_verdict::accepted && !asks;
    if (!begins || tx_.is_inside() || !edges_.is_tangled(id)) return how;
    tangled_.push_back(id);
    return submit_verdict::busy;
}

std::optional<std::int64_t> submissions::due_of(const submission_item& item) const {
    std::optional<std::int64_t> due;
    if (item.at) {
        due = item.at->time_since_epoch().count();
    } else if (item.delay && item.delay->count() > 0) {
        due = tx_.upper() + item.delay->count();
    }
    if (due && *due <= tx_.now()) due.reset();
    return due;
}

std::optional<std::int64_t> submissions::expiry_of(const submission_item& item) const {
    if (!item.expires_after) return std::nullopt;
    return due_of(item).value_or(tx_.upper()) + item.expires_after->count();
}

std::pair<list_row*, std::int64_t> submissions::target_of(const submission_item& item) {
    return queues_.free_place(tx_.cache().queue(item.queue), item.priority, due_of(item), group_of_item(item),
                              item.id, item.body);
}

bool submissions::insert(const submission_item& item, list_row& to, std::int64_t at) {
    return rows_.insert(item.id, to, at, item.body, item.priority, expiry_of(item), group_of_item(item));
}

std::optional<group_number> submissions::group_of_item(const submission_item& item) {
    return item.gated ? group_in(item.queue, item.body) : std::nullopt;
}

void submissions::write_over(const submission_item& item, task_row& held, submit_verdict how, list_row* to,
                             std::int64_t at) {
    std::string_view body{item.body};
    std::string kept;
    auto life = incarnation_of(item.body);
    if (how == submit_verdict::replaced) {
        // The task stays the same one to those who hold a handle of it: it keeps its life.
        kept = body;
        const auto old = rows_.body_of(held);
        kept.replace(task_body::incarnation_offset, 8, old, task_body::incarnation_offset, 8);
        body = kept;
        life = held.life;
    } else {
        rows_.drop_stages(item.id);
    }
    if (!to) {
        edges_.forget_waiting(item.id);
        std::tie(to, at) = target_of(item);
    }
    rows_.change_list(held, *to);
    rows_.change_body(item.id, held, body);
    sql_.submit_again.run(tx_.ns(), item.id.view(), to->k, at, life, item.priority, expiry_of(item),
                          group_of_item(item));
}

}  // namespace errand::sqlite
