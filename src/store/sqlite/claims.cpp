// work: finish and claim in one call.
#include "store/sqlite/claims.hpp"

#include "store/sqlite/outcome_front.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// What was never reported must not be remembered for ever.
constexpr std::size_t most_rows_known = 100'000;

}  // namespace

work_answer claims::work(const work_call& call) {
    work_answer got;
    got.verdicts.assign(call.reports.size(), report_verdict::lease_lost);
    const auto take = [&](std::size_t at) {
        const auto& one = call.reports[at];
        if (finish(one)) got.verdicts[at] = report_verdict::accepted;
        if (one.gated) gates_.free(one.id, one.claim);
    };
    for (std::size_t at = 0; at < call.reports.size(); ++at) {
        if (call.reports[at].what != report::kind::give_back) take(at);
    }
    // The last one first, so that they keep their order at the head of the queue.
    for (std::size_t at = call.reports.size(); at-- > 0;) {
        if (call.reports[at].what == report::kind::give_back) take(at);
    }
    for (const auto number : call.closed) {
        sql_.close_claim.run(tx_.ns(), number);
        gates_.free_all(number);
    }
    groups_.settle();
    queues_.wake_freed();
    if (call.claim.limit > 0) claim(call.claim, got);
    got.now = tx_.time();
    return got;
}

bool claims::finish(const report& one) {
    const auto row = row_taken(one.id);
    switch (one.what) {
    case report::kind::end: return end(one, row);
    case report::kind::aside: return aside_.put(one, row);
    case report::kind::give_back: return give_back(one, row);
    case report::kind::join: return bundles_.join(one);
    case report::kind::regroup: return regroup(one);
    case report::kind::retry:
    case report::kind::later: break;
    }
    return finish_later(one, row);
}

bool claims::give_back(const report& one, std::optional<std::int64_t> row_number) {
    auto& queue = tx_.cache().queue(one.queue);
    std::optional<group_number> group;
    if (one.gated) {
        const auto row = rows_.find(one.id);
        if (!row || row->claim != one.claim) return false;
        group = row->group;
    }
    const auto [to, place] = group ? queues_.place_in_front(queue, one.priority, group, one.id)
                                   : std::pair{&tx_.cache().list(queue, kind_of(state::ready)),
                                               tx_.cache().front_place(one.priority)};
    const auto notes = one.record.empty() ? std::nullopt : std::optional<std::string_view>{one.record};
    sql_.give_back.run(tx_.ns(), one.id.view(), one.claim, to->k, place, notes, row_number);
    if (!tx_.in.changed()) return false;
    tx_.cache().shift(tx_.cache().list(queue, kind_of(state::working)), *to);
    if (!group) queues_.became_ready(queue);
    return true;
}

bool claims::regroup(const report& one) {
    const auto row = rows_.find(one.id);
    if (!row || row->claim != one.claim) return false;
    rows_.change_body(one.id, *row, one.record);
    auto& queue = tx_.cache().queue(one.queue);
    const auto group = group_in(queue.name, one.record);
    const auto [to, place] = queues_.free_place(queue, one.priority, std::nullopt, group, one.id);
    sql_.regroup.run(tx_.ns(), one.id.view(), to->k, place, group);
    tx_.cache().shift(tx_.cache().list(queue, kind_of(state::working)), *to);
    return true;
}

bool claims::finish_later(const report& one, std::optional<std::int64_t> row_number) {
    auto& queue = tx_.cache().queue(one.queue);
    const bool failed = one.what == report::kind::retry;
    const auto due = tx_.upper() + std::max<std::int64_t>(one.delay.count(), 0);
    auto& to = tx_.cache().list(queue, kind_of(failed ? state::retry : state::delayed));
    const bool first = queues_.falls_before(queue, due);
    sql_.finish_later.run(tx_.ns(), one.id.view(), one.claim, to.k, due, std::string_view{one.record},
                          row_number);
    if (!tx_.in.changed()) return false;
    tx_.cache().shift(tx_.cache().list(queue, kind_of(state::working)), to);
    if (failed) tx_.cache().count(queue, &queue_totals::failed);
    if (first) queues_.came_to_be_first(queue);
    return true;
}

bool claims::end(const report& one, std::optional<std::int64_t> row_number) {
    const auto parts = split_end(one.record);
    auto& queue = tx_.cache().queue(one.queue);
    const auto finished = parts.finished_at.time_since_epoch().count();
    if (one.retention.count() <= 0) {
        auto row = rows_.find(one.id);
        if (!row || row->claim != one.claim) return false;
        tx_.cache().count(queue, total_of(one.ended_as));
        bool heard = endings_.tell(one.id, row->life, finished, parts.outcome);
        if (one.tells_schedule) heard = endings_.tell_schedule(one.id, parts.body) || heard;
        endings_.end_without_trace(one.id, *row, finished, parts.outcome, heard);
        return true;
    }
    auto& to = tx_.cache().list(queue, kind_of(one.ended_as), one.retention.count());
    sql_.finish_end.run(tx_.ns(), one.id.view(), one.claim, to.k, finished, parts.outcome, row_number);
    if (!tx_.in.changed()) return false;
    tx_.cache().shift(tx_.cache().list(queue, kind_of(state::working)), to);
    tx_.cache().count(queue, total_of(one.ended_as));
    endings_.tell(one.id, incarnation_of(parts.body), finished, parts.outcome);
    if (one.tells_schedule) endings_.tell_schedule(one.id, parts.body);
    return true;
}

void claims::claim(const claim_request& asked, work_answer& into) {
    open_claim claimed{
        .tasks = into.claimed, .limit = asked.limit, .queues = asked.queues, .apart = asked.apart};
    for (const auto& name : asked.queues) {
        auto* queue = tx_.cache().find_queue(name);
        if (!queue || queue->paused || into.claimed.size() == asked.limit) continue;
        if (groups_.find_list(*queue)) {
            claim_in_turns(*queue, claimed);
        } else {
            claim_heads(*queue, claimed);
        }
        if (claimed.bytes > most_bytes_claimed || claimed.cut_short) break;
    }
    take_leases(claimed, asked.lease);
    wait_for_more(asked, into, claimed);
}

// One that is busy takes itself off, and wakes the next where it leaves a backlog, or a time at which somebody is to look.
void claims::wait_for_more(const claim_request& asked, work_answer& into, const open_claim& claimed) {
    const bool filled = into.claimed.size() == asked.limit;
    const bool cut_short = claimed.cut_short || claimed.bytes > most_bytes_claimed;
    for (const auto& name : asked.queues) {
        if (filled) {
            tx_.idle.stop_waiting(tx_.by(), name);
        } else {
            tx_.idle.wait(tx_.by(), name);
        }
        const bool left = filled && tx_.idle.waiting(tx_.ns(), name) > 0;
        // Where nobody of this process waits, somebody of another does.
        const bool timed = filled && std::ranges::find(claimed.timed, name) != claimed.timed.end();
        const bool backlog = left || cut_short;
        if (timed || (backlog && queues_.any_ready(tx_.cache().find_queue(name)))) queues_.wake(name, 1);
    }
    if (filled) return;
    for (const auto& name : asked.queues) {
        if (auto* queue = tx_.cache().find_queue(name)) groups_.forget_earlier(*queue);
    }
    // There is more than one answer carries, or somebody is to look later.
    const bool more = cut_short && !into.claimed.empty();
    into.next_due = more ? std::optional{tx_.time()} : queues_.next_look(asked.queues);
}

void claims::claim_heads(queue_row& queue, open_claim& into) {
    auto* ready = tx_.cache().find_list(queue, kind_of(state::ready));
    if (!ready) return;
    const auto count = read_rows(sql_.heads(ready->k, into.limit - into.tasks.size()), queue, into);
    if (count > 0) take_heads(*ready, count, into);
}

std::size_t claims::read_rows(cursor rows, const queue_row& queue, open_claim& into) {
    auto& known = rows_taken_[tx_.ns()];
    if (known.size() > most_rows_known) known.clear();
    std::size_t count = 0;
    for (; rows.next(); ++count) {
        const auto body = rows.bytes(2);
        into.bytes += body.size();
        if (into.bytes > most_bytes_claimed && !into.tasks.empty()) break;
        into.tasks.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                              .queue = queue.name,
                              .body = std::string{body},
                              .notes = std::string{rows.bytes(1)}});
        known[into.tasks.back().id] = rows.number(3);
    }
    return count;
}

void claims::take_heads(list_row& from, std::size_t count, open_claim& by) {
    auto& to = tx_.cache().list(*from.queue, kind_of(state::working));
    if (by.apart) {
        const auto& known = rows_taken_[tx_.ns()];
        for (auto& one : std::span{by.tasks}.last(count)) {
            one.claim = number_of(by);
            sql_.take_one.run(known.at(one.id), to.k, one.claim);
        }
    } else {
        sql_.take.run(from.k, count, to.k, number_of(by));
    }
    tx_.cache().shift(from, to, static_cast<std::int64_t>(count));
}

std::optional<std::int64_t> claims::row_taken(const task_id& id) {
    auto& known = rows_taken_[tx_.ns()];
    const auto at = known.find(id);
    if (at == known.end()) return std::nullopt;
    const auto row = at->second;
    known.erase(at);
    return row;
}

void claims::take_leases(open_claim& claimed, duration lease) {
    if (claimed.apart) {
        for (const auto& one : claimed.tasks) take_lease({&one, 1}, lease, one.claim);
        return;
    }
    for (auto& task : claimed.tasks) task.claim = claimed.number;
    take_lease(claimed.tasks, lease, claimed.number);
}

claim_number claims::take_lease(std::span<const claimed_task> tasks, duration lease, claim_number number) {
    if (tasks.empty()) return 0;
    std::string ids;
    ids.reserve(tasks.size() * 16);
    for (const auto& one : tasks) ids += one.id.view();
    if (number == 0) number = tx_.cache().next_claim(tx_.micros());
    sql_.lease.run(tx_.ns(), number, tx_.upper() + lease.count(), tx_.process, text{tx_.by().name},
                   std::string_view{ids});
    return number;
}

}  // namespace errand::sqlite
