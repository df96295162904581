// work: finish and claim in one call; adopt, which claims what stands aside.
#include "store/sqlite/claims.hpp"

#include "store/sqlite/outcome_front.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// A claim takes no more than so many bytes at once, but one task at least.
constexpr std::size_t most_bytes_claimed = std::size_t{16} * 1024 * 1024;
// What was never reported must not be remembered for ever.
constexpr std::size_t most_rows_known = 100'000;

}  // namespace

work_answer claims::work(const work_call& call) {
    work_answer got;
    got.verdicts.assign(call.reports.size(), report_verdict::lease_lost);
    const auto take = [&](std::size_t at) {
        if (finish(call.reports[at])) got.verdicts[at] = report_verdict::accepted;
    };
    for (std::size_t at = 0; at < call.reports.size(); ++at) {
        if (call.reports[at].what != report::kind::give_back) take(at);
    }
    // The last one first, so that they keep their order at the head of the queue.
    for (std::size_t at = call.reports.size(); at-- > 0;) {
        if (call.reports[at].what == report::kind::give_back) take(at);
    }
    for (const auto number : call.closed) sql_.close_claim.run(tx_.ns(), number);
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
    case report::kind::retry:
    case report::kind::later: break;
    }
    return finish_later(one, row);
}

bool claims::give_back(const report& one, std::optional<std::int64_t> row_number) {
    auto& queue = tx_.cache().queue(one.queue);
    auto& to = tx_.cache().list(queue, kind_of(state::ready));
    const auto notes = one.record.empty() ? std::nullopt : std::optional<std::string_view>{one.record};
    sql_.give_back.run(tx_.ns(), one.id.view(), one.claim, to.k, tx_.cache().front_place(one.priority), notes,
                       row_number);
    if (!tx_.in.changed()) return false;
    tx_.cache().shift(tx_.cache().list(queue, kind_of(state::working)), to);
    queues_.became_ready(queue);
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
    std::size_t bytes = 0;
    std::vector<std::pair<queue_row*, std::size_t>> found;
    for (const auto& name : asked.queues) {
        auto* queue = tx_.cache().find_queue(name);
        if (!queue || queue->paused || into.claimed.size() == asked.limit) continue;
        const auto before = into.claimed.size();
        read_heads(*queue, asked.limit - before, into.claimed, bytes);
        if (into.claimed.size() > before) found.emplace_back(queue, into.claimed.size() - before);
        if (bytes > most_bytes_claimed) break;
    }
    const auto number = take_lease(into.claimed, asked.lease);
    for (auto& task : into.claimed) task.claim = number;
    for (const auto& [queue, count] : found) {
        take_heads(tx_.cache().list(*queue, kind_of(state::ready)), count, number);
    }
    wait_for_more(asked, into, bytes > most_bytes_claimed);
}

// One that is busy takes itself off, and wakes the next where it leaves a backlog.
void claims::wait_for_more(const claim_request& asked, work_answer& into, bool cut_short) {
    const bool filled = into.claimed.size() == asked.limit;
    for (const auto& name : asked.queues) {
        if (filled) {
            tx_.idle.stop_waiting(tx_.by(), name);
        } else {
            tx_.idle.wait(tx_.by(), name);
        }
        const bool backlog = (filled && tx_.idle.waiting(tx_.ns(), name) > 0) || cut_short;
        if (backlog && queues_.any_ready(tx_.cache().find_queue(name))) queues_.wake(name, 1);
    }
    if (!filled) into.next_due = queues_.next_look(asked.queues);
}

void claims::read_heads(queue_row& queue, std::size_t room, std::vector<claimed_task>& into,
                        std::size_t& bytes) {
    auto* ready = tx_.cache().find_list(queue, kind_of(state::ready));
    if (!ready) return;
    auto& known = rows_taken_[tx_.ns()];
    if (known.size() > most_rows_known) known.clear();
    for (auto rows = sql_.heads(ready->k, room); rows.next();) {
        const auto body = rows.bytes(2);
        bytes += body.size();
        if (bytes > most_bytes_claimed && !into.empty()) break;
        into.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                        .queue = queue.name,
                        .body = std::string{body},
                        .notes = std::string{rows.bytes(1)}});
        known[into.back().id] = rows.number(3);
    }
}

void claims::take_heads(list_row& from, std::size_t count, claim_number by) {
    auto& to = tx_.cache().list(*from.queue, kind_of(state::working));
    sql_.take.run(from.k, count, to.k, by);
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

claim_number claims::take_lease(const std::vector<claimed_task>& tasks, duration lease) {
    if (tasks.empty()) return 0;
    std::string ids;
    ids.reserve(tasks.size() * 16);
    for (const auto& one : tasks) ids += one.id.view();
    const auto number = tx_.cache().next_claim(tx_.micros());
    sql_.lease.run(tx_.ns(), number, tx_.upper() + lease.count(), tx_.process, text{tx_.by().name},
                   std::string_view{ids});
    return number;
}

adopt_answer claims::adopt(const adopt_call& asked) {
    auto handlers = aside_tasks::keys_of(asked.handlers);
    const auto lists = aside_.lists(asked.queues, handlers);
    adopt_answer got;
    std::vector<std::pair<list_row*, std::size_t>> found;
    std::size_t bytes = 0;
    for (auto* list : lists) {
        const auto before = got.tasks.size();
        for (auto rows = sql_.heads(list->k, asked.limit - before); rows.next();) {
            const auto body = rows.bytes(2), notes = rows.bytes(1);
            bytes += body.size() + notes.size();
            if (bytes > most_bytes_claimed && !got.tasks.empty()) break;
            got.tasks.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                                 .queue = list->queue->name,
                                 .body = std::string{body},
                                 .notes = std::string{notes}});
        }
        if (got.tasks.size() > before) found.emplace_back(list, got.tasks.size() - before);
        if (bytes > most_bytes_claimed || got.tasks.size() == asked.limit) break;
    }
    const auto number = take_lease(got.tasks, asked.lease);
    for (auto& task : got.tasks) task.claim = number;
    for (const auto& [list, count] : found) take_heads(*list, count, number);
    got.more = !aside_.lists(asked.queues, handlers).empty();
    if (got.more) {
        tx_.idle.stop_waiting_aside(tx_.by());
    } else {
        tx_.idle.wait_aside({&tx_.by(), asked.queues, std::move(handlers)});
    }
    return got;
}

}  // namespace errand::sqlite
