// The passes that keep a namespace in order: what is due, what is late, what is no longer kept.
#include "store/sqlite/ledger.hpp"
#include "store/sqlite/outcome_front.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// A watcher says so again every half minute; one that has not for longer than this is gone, ms.
constexpr std::int64_t most_watched = 120'000;
// Of a process that does not come to fetch it.
constexpr std::int64_t oldest_mail = 600'000;

}  // namespace

promote_answer ledger::promote(std::span<const std::string> queues, std::size_t limit,
                               std::string_view expired) {
    promote_answer got;
    bool more = false;
    got.expired = expire(limit, expired, more);
    for (const auto& name : queues) {
        auto* queue = cache_->find_queue(name);
        const auto moved = queue ? promote_queue(*queue, limit) : 0;
        got.promoted += moved;
        more = more || moved == limit;
        // What a missed wake-up left is made good.
        if (moved == 0 && any_ready(queue)) wake(name, 1);
    }
    got.next_due = more ? now() : next_look(queues);
    got.now = now();
    return got;
}

std::size_t ledger::promote_queue(queue_row& queue, std::size_t limit) {
    struct due_task {
        task_id id;
        int priority;
        bool noted;
    };
    std::vector<due_task> due;
    std::size_t promoted = 0;
    for (const auto kind : {kind_of(state::delayed), kind_of(state::retry)}) {
        auto* from = cache_->find_list(queue, kind);
        if (!from || promoted == limit) continue;
        due.clear();
        for (auto rows = sql_.due(from->k, now_, limit - promoted); rows.next();)
            due.push_back({*task_id::from_bytes(rows.bytes(0)), static_cast<int>(rows.number(1)),
                           rows.number(2) != 0});
        for (const auto& [id, priority, noted] : due) {
            if (noted && stands_aside_again(id, *from)) continue;
            const auto [to, place] = free_place(queue, priority, std::nullopt);
            sql_.move.run(ns(), id.view(), to->k, place);
            cache_->grow(*from, -1);
            cache_->grow(*to, 1);
        }
        promoted += due.size();
    }
    return promoted;
}

// Ends tasks that were not started in time. What has started has its time behind it.
std::size_t ledger::expire(std::size_t limit, std::string_view outcome, bool& more) {
    std::vector<task_id> late;
    for (auto rows = sql_.late(ns(), now_, limit); rows.next();)
        late.push_back(*task_id::from_bytes(rows.bytes(0)));
    std::size_t expired = 0;
    for (const auto& id : late) {
        auto row = row_of(id);
        if (row->ended() || started(*row)) {
            sql_.forget_expiry.run(ns(), id.view());
            continue;
        }
        leave_waiting(id, *row);
        bury(id, *row, kept_as(outcome, body_of(*row)));
        ++expired;
    }
    more = more || late.size() == limit;
    return expired;
}

void ledger::leave_waiting(const task_id& id, const task_row& row) {
    if (row.where() == state::waiting) sql_.forget_waiting.run(ns(), id.view());
}

std::size_t ledger::clean(std::size_t limit) {
    std::size_t deleted = 0;
    std::vector<list_row*> ended;
    for (auto& [name, queue] : cache_->queues()) {
        for (const auto& [key, list] : queue.lists) {
            if (is_ended(list->kind)) ended.push_back(list);
        }
    }
    for (auto* list : ended) {
        if (deleted < limit) deleted += clean_list(*list, limit - deleted);
    }
    sweep_edges();
    drop_empty_asides();
    sql_.clean_workers.run(ns(), now_);
    sql_.clean_watched.run(ns(), now_ - most_watched);
    sql_.clean_mail.run(now_ - oldest_mail);
    sql_.forget_old.run(ns(), now_ - store::remembers_for.count());
    return deleted;
}

std::size_t ledger::clean_list(list_row& list, std::size_t limit) {
    std::vector<task_id> over;
    for (auto rows = sql_.over(list.k, now_ - list.retention, limit); rows.next();)
        over.push_back(*task_id::from_bytes(rows.bytes(0)));
    std::size_t deleted = 0;
    for (const auto& id : over) {
        auto row = row_of(id);
        drop_ended(id, *row);
        ++deleted;  // or came nearer to it
    }
    // One whose tasks were all deleted before; counters of this transaction are not written yet.
    if (over.empty() && list.grown == 0 && list.retention > 0) cache_->drop_list(list);
    return deleted;
}

// Its edges go first, in steps: false while some are left. The id goes on refusing duplicates for as long as was promised,
// without its arguments and result.
bool ledger::drop_ended(const task_id& id, task_row& row) {
    if (!untie(id)) return false;
    sql_.forget_waiting.run(ns(), id.view());
    const auto until = row.finished_at() + unique_for(row.outcome);
    if (until > now_) {
        keep_remnant(id, row, until);
    } else {
        drop(id, row);
    }
    return true;
}

std::size_t ledger::trim(std::size_t most, std::size_t limit) {
    cache_->write(micros_);  // what earlier calls of this transaction have counted
    struct excess {
        std::int64_t queue;
        list_kind kind;
        std::size_t count;
    };
    std::vector<excess> all;
    for (auto rows = sql_.ended_sizes(ns(), most); rows.next();)
        all.push_back({rows.number(0), static_cast<list_kind>(rows.number(1)),
                       static_cast<std::size_t>(rows.number(2)) - most});
    std::size_t deleted = 0;
    for (const auto& one : all) {
        for (auto& [name, queue] : cache_->queues()) {
            if (queue.k == one.queue && deleted < limit)
                deleted += trim_kind(queue, one.kind, std::min(one.count, limit - deleted));
        }
    }
    return deleted;
}

// The oldest of a kind, whichever list they stand in.
std::size_t ledger::trim_kind(queue_row& queue, list_kind kind, std::size_t count) {
    std::vector<std::pair<std::int64_t, task_id>> oldest;
    for (const auto& [key, list] : queue.lists) {
        if (list->kind != kind) continue;
        for (auto rows = sql_.oldest_ended(list->k, count); rows.next();)
            oldest.emplace_back(rows.number(1), *task_id::from_bytes(rows.bytes(0)));
    }
    std::ranges::sort(oldest);
    if (oldest.size() > count) oldest.resize(count);
    std::size_t deleted = 0;
    for (const auto& [place, id] : oldest) {
        // Whoever awaits its end finds it. Tasks that depend on it hear of its end all the same.
        if (sql_.awaited(ns(), id.view()).next()) continue;
        auto row = row_of(id);
        drop_ended(id, *row);
        ++deleted;  // or came nearer to it
    }
    return deleted;
}

}  // namespace errand::sqlite
