// What a worker says and asks of the tasks it holds: finish and claim.
#include "store/sqlite/ledger.hpp"
#include "store/sqlite/outcome_front.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// A claim takes no more than so many bytes at once, but one task at least.
constexpr std::size_t most_bytes = std::size_t{16} * 1024 * 1024;
// What was never reported must not be remembered for ever.
constexpr std::size_t most_rows_known = 100'000;

}  // namespace

work_answer ledger::work(const work_call& call) {
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
    for (const auto number : call.closed) sql_.close_claim.run(ns(), number);
    wake_freed();
    if (call.claim.limit > 0) claim(call.claim, got);
    got.now = now();
    return got;
}

// False: the task is no longer this claim's.
bool ledger::finish(const report& one) {
    const auto row = row_taken(one.id);
    if (one.what == report::kind::end) return end(one, row);
    if (one.what == report::kind::aside) return put_aside(one, row);
    auto& queue = cache_->queue(one.queue);
    auto& from = cache_->list(queue, kind_of(state::working));
    if (one.what == report::kind::give_back) {
        auto& to = cache_->list(queue, kind_of(state::ready));
        const auto notes = one.record.empty() ? std::nullopt : std::optional<std::string_view>{one.record};
        sql_.give_back.run(ns(), one.id.view(), one.claim, to.k, cache_->front_place(one.priority), notes,
                           row);
        if (!in_.changed()) return false;
        cache_->grow(from, -1);
        cache_->grow(to, 1);
        ++freed_[queue.name];
        return true;
    }
    const bool failed = one.what == report::kind::retry;
    const auto due = upper_ + std::max<std::int64_t>(one.delay.count(), 0);
    auto& to = cache_->list(queue, kind_of(failed ? state::retry : state::delayed));
    const bool first = falls_before(queue, due);
    sql_.finish_later.run(ns(), one.id.view(), one.claim, to.k, due, std::string_view{one.record}, row);
    if (!in_.changed()) return false;
    cache_->grow(from, -1);
    cache_->grow(to, 1);
    if (failed) cache_->count(queue, &queue_totals::failed);
    if (first) freed_[queue.name] = std::max<std::size_t>(freed_[queue.name], 1);
    return true;
}

bool ledger::end(const report& one, std::optional<std::int64_t> row_number) {
    const auto parts = split_end(one.record);
    auto& queue = cache_->queue(one.queue);
    const auto finished = parts.finished_at.time_since_epoch().count();
    if (one.retention.count() <= 0) {
        auto row = row_of(one.id);
        if (!row || row->claim != one.claim) return false;
        cache_->count(queue, total_of(one.ended_as));
        const bool heard = tell(one.id, row->life, finished, parts.outcome);
        end_without_trace(one.id, *row, finished, parts.outcome, heard);
        return true;
    }
    auto& to = cache_->list(queue, kind_of(one.ended_as), one.retention.count());
    sql_.finish_end.run(ns(), one.id.view(), one.claim, to.k, finished, parts.outcome, row_number);
    if (!in_.changed()) return false;
    cache_->grow(cache_->list(queue, kind_of(state::working)), -1);
    cache_->grow(to, 1);
    cache_->count(queue, total_of(one.ended_as));
    tell(one.id, incarnation_of(parts.body), finished, parts.outcome);
    return true;
}

void ledger::claim(const claim_request& asked, work_answer& into) {
    std::size_t bytes = 0;
    std::vector<std::pair<queue_row*, std::size_t>> found;
    for (const auto& name : asked.queues) {
        auto* queue = cache_->find_queue(name);
        if (!queue || queue->paused || into.claimed.size() == asked.limit) continue;
        const auto before = into.claimed.size();
        read_heads(*queue, asked.limit - before, into.claimed, bytes);
        if (into.claimed.size() > before) found.emplace_back(queue, into.claimed.size() - before);
        if (bytes > most_bytes) break;
    }
    const auto number = take_lease(into.claimed, asked.lease);
    for (auto& task : into.claimed) task.claim = number;
    for (const auto& [queue, count] : found) take_heads(*queue, count, number);
    const bool filled = into.claimed.size() == asked.limit;
    for (const auto& name : asked.queues) {
        if (filled) {
            // One that is busy takes itself off, and wakes the next where it leaves a backlog.
            idle_.stop_waiting(*by_, name);
        } else {
            idle_.wait(*by_, name);
        }
        const bool backlog = (filled && idle_.waiting(ns(), name) > 0) || bytes > most_bytes;
        if (backlog && any_ready(cache_->find_queue(name))) wake(name, 1);
    }
    if (!filled) into.next_due = next_look(asked.queues);
}

void ledger::read_heads(queue_row& queue, std::size_t room, std::vector<claimed_task>& into,
                        std::size_t& bytes) {
    auto* ready = cache_->find_list(queue, kind_of(state::ready));
    if (!ready) return;
    auto& known = rows_taken_[ns()];
    if (known.size() > most_rows_known) known.clear();
    for (auto rows = sql_.heads(ready->k, room); rows.next();) {
        const auto body = rows.bytes(2);
        bytes += body.size();
        if (bytes > most_bytes && !into.empty()) break;
        into.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                        .queue = queue.name,
                        .body = std::string{body},
                        .notes = std::string{rows.bytes(1)}});
        known[into.back().id] = rows.number(3);
    }
}

void ledger::take_heads(queue_row& queue, std::size_t count, claim_number by) {
    auto& from = cache_->list(queue, kind_of(state::ready));
    auto& to = cache_->list(queue, kind_of(state::working));
    sql_.take.run(from.k, count, to.k, by);
    cache_->grow(from, -static_cast<std::int64_t>(count));
    cache_->grow(to, static_cast<std::int64_t>(count));
}

// Once: whoever reports a task holds it no longer.
std::optional<std::int64_t> ledger::row_taken(const task_id& id) {
    auto& known = rows_taken_[ns()];
    const auto at = known.find(id);
    if (at == known.end()) return std::nullopt;
    const auto row = at->second;
    known.erase(at);
    return row;
}

// One lease for all of them; 0 when there are none.
claim_number ledger::take_lease(const std::vector<claimed_task>& tasks, duration lease) {
    if (tasks.empty()) return 0;
    std::string ids;
    ids.reserve(tasks.size() * 16);
    for (const auto& one : tasks) ids += one.id.view();
    const auto number = cache_->next_claim(micros_);
    sql_.lease.run(ns(), number, upper_ + lease.count(), engine_, text{by_->name}, std::string_view{ids});
    return number;
}

}  // namespace errand::sqlite
