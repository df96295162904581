#include "store/sqlite/maintenance.hpp"

#include "store/sqlite/outcome_front.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// A watcher says so again every half minute; one that has not for longer than this is gone, ms.
constexpr std::int64_t most_watched = 120'000;
// Of a process that does not come to fetch it.
constexpr std::int64_t oldest_mail = 600'000;
// Of queues in which nothing happens, ms; and how many are looked at in one step.
constexpr std::int64_t quiet_after = 1'800'000, looks_for_quiet = 60'000;
constexpr std::size_t queues_per_look = 500;

}  // namespace

promote_answer maintenance::promote(std::span<const std::string> queues, std::size_t limit,
                                    std::string_view expired) {
    promote_answer got;
    bool more = false;
    got.expired = expire(limit, expired, more);
    for (const auto& name : queues) {
        auto* queue = tx_.cache().find_queue(name);
        if (queue && groups_.find_list(*queue)) groups_.look_at_due(*queue);
        const auto moved = queue ? promote_queue(*queue, limit) : 0;
        got.promoted += moved;
        more = more || moved == limit;
        // What a missed wake-up left is made good.
        if (moved == 0 && queues_.any_ready(queue)) {
            groups_.forget_went_on(*queue);  // whoever is woken comes to it
            queues_.wake(name, 1);
        }
        if (queue) groups_.forget_earlier(*queue);  // whoever asks sleeps until then
    }
    got.next_due = more ? tx_.time() : queues_.next_look(queues);
    got.now = tx_.time();
    return got;
}

std::size_t maintenance::promote_queue(queue_row& queue, std::size_t limit) {
    struct due_task {
        task_id id;
        int priority;
        bool noted;
        std::optional<group_number> group;
    };
    std::vector<due_task> due;
    std::size_t promoted = 0;
    for (const auto kind : {kind_of(state::delayed), kind_of(state::retry)}) {
        auto* from = tx_.cache().find_list(queue, kind);
        if (!from || promoted == limit) continue;
        due.clear();
        for (auto rows = sql_.due(from->k, tx_.now(), limit - promoted); rows.next();)
            due.push_back({*task_id::from_bytes(rows.bytes(0)), static_cast<int>(rows.number(1)),
                           rows.number(2) != 0,
                           rows.is_null(3) ? std::nullopt : std::optional{rows.number(3)}});
        promoted += due.size();
        // What failed goes before what waits with it for the same gates: the last one first.
        const auto put_in_front = [&](const due_task& one) {
            return one.group && kind == kind_of(state::retry);
        };
        std::ranges::stable_partition(due, std::not_fn(put_in_front));
        std::ranges::reverse(std::ranges::find_if(due, put_in_front), due.end());
        for (const auto& one : due) {
            const auto& [id, priority, noted, group] = one;
            if (noted && aside_.stands_aside_again(id, *from)) continue;
            const auto [to, place] = put_in_front(one)
                                         ? queues_.place_in_front(queue, priority, group, id)
                                         : queues_.free_place(queue, priority, std::nullopt, group, id);
            sql_.move.run(tx_.ns(), id.view(), to->k, place);
            tx_.cache().shift(*from, *to);
        }
    }
    return promoted;
}

std::size_t maintenance::expire(std::size_t limit, std::string_view outcome, bool& more) {
    std::vector<task_id> late;
    for (auto rows = sql_.late(tx_.ns(), tx_.now(), limit); rows.next();)
        late.push_back(*task_id::from_bytes(rows.bytes(0)));
    std::size_t expired = 0;
    for (const auto& id : late) {
        auto row = rows_.find(id);
        if (row->ended() || row->started() || (row->where() == state::waiting && edges_.bundle_started(id))) {
            sql_.forget_expiry.run(tx_.ns(), id.view());
            continue;
        }
        endings_.leave_waiting(id, *row);
        endings_.bury(id, *row, kept_as(outcome, rows_.body_of(*row)));
        ++expired;
    }
    more = more || late.size() == limit;
    return expired;
}

std::size_t maintenance::clean(std::size_t limit) {
    std::size_t deleted = 0;
    std::vector<list_row*> ended;
    for (auto& [name, queue] : tx_.cache().queues()) {
        for (const auto& [key, list] : queue.lists) {
            if (is_ended(list->kind)) ended.push_back(list);
        }
    }
    for (auto* list : ended) {
        if (deleted < limit) deleted += clean_list(*list, limit - deleted);
    }
    if (forget_quiet_queues()) ++deleted;
    edges_.sweep();
    aside_.drop_empty_lists();
    gates_.sweep();
    sql_.clean_workers.run(tx_.ns(), tx_.now());
    sql_.clean_watched.run(tx_.ns(), tx_.now() - most_watched);
    sql_.clean_mail.run(tx_.now() - oldest_mail);
    sql_.forget_old.run(tx_.ns(), tx_.now() - store::remembers_for.count());
    return deleted;
}

// Queues come and go where there is one for each customer: of one in which nothing is and happened for half an hour, and
// which nobody here serves, the counters go. True when there may be more.
bool maintenance::forget_quiet_queues() {
    auto& look = tx_.idle.quiet_looks[tx_.ns()];
    const bool looked = look.at <= tx_.now() && tx_.now() < look.at + looks_for_quiet;
    if (looked && look.after == 0) return false;
    look.at = tx_.now();
    tx_.cache().write(tx_.micros());  // what this transaction has counted
    std::vector<std::string> quiet;
    std::size_t seen = 0;
    for (auto rows =
             sql_.quiet_queues(tx_.ns(), (tx_.now() - quiet_after) / 60'000, look.after, queues_per_look);
         rows.next(); ++seen) {
        look.after = rows.number(0);
        if (rows.number(2) != 0) quiet.emplace_back(rows.bytes(1));
    }
    for (const auto& name : quiet) {
        const auto served = tx_.idle.looked.find({tx_.ns(), name});
        if (served != tx_.idle.looked.end() && served->second > tx_.now() - quiet_after) continue;
        if (auto* queue = tx_.cache().find_queue(name)) tx_.cache().drop_queue(*queue);
        if (served != tx_.idle.looked.end()) tx_.idle.looked.erase(served);
    }
    if (seen < queues_per_look) look.after = 0;
    return look.after != 0;
}

std::size_t maintenance::clean_list(list_row& list, std::size_t limit) {
    std::vector<task_id> over;
    for (auto rows = sql_.over(list.k, tx_.now() - list.retention, limit); rows.next();)
        over.push_back(*task_id::from_bytes(rows.bytes(0)));
    std::size_t deleted = 0;
    for (const auto& id : over) {
        auto row = rows_.find(id);
        if (edges_.is_untold(id, row->where())) continue;
        endings_.drop_ended(id, *row);
        ++deleted;  // or came nearer to it
    }
    // One whose tasks were all deleted before; counters of this transaction are not written yet.
    if (over.empty() && list.grown == 0 && list.retention > 0) tx_.cache().drop_list(list);
    return deleted;
}

std::size_t maintenance::trim(std::size_t most, std::size_t limit) {
    tx_.cache().write(tx_.micros());  // what earlier calls of this transaction have counted
    struct excess {
        std::int64_t queue;
        list_kind kind;
        std::size_t count;
    };
    std::vector<excess> all;
    for (auto rows = sql_.ended_sizes(tx_.ns(), most); rows.next();)
        all.push_back({rows.number(0), static_cast<list_kind>(rows.number(1)),
                       static_cast<std::size_t>(rows.number(2)) - most});
    std::size_t deleted = 0;
    for (const auto& one : all) {
        for (auto& [name, queue] : tx_.cache().queues()) {
            if (queue.k == one.queue && deleted < limit)
                deleted += trim_kind(queue, one.kind, std::min(one.count, limit - deleted));
        }
    }
    return deleted;
}

std::size_t maintenance::trim_kind(queue_row& queue, list_kind kind, std::size_t count) {
    std::vector<std::pair<std::int64_t, task_id>> oldest;
    for (const auto& [key, list] : queue.lists) {
        if (list->kind != kind) continue;
        std::size_t found = 0;
        for (auto rows = sql_.oldest_ended(list->k); found < count && rows.next();) {
            const auto id = *task_id::from_bytes(rows.bytes(0));
            // Whoever awaited its end was told of it by the step that ended it, and who depends on it hears of that all the
            // same, but items of a bundle need its outcome. However many stay for that, newer ones go.
            if (edges_.is_untold(id, static_cast<state>(kind))) continue;
            oldest.emplace_back(rows.number(1), id);
            ++found;
        }
    }
    std::ranges::sort(oldest);
    if (oldest.size() > count) oldest.resize(count);
    for (const auto& [place, id] : oldest) {
        auto row = rows_.find(id);
        endings_.drop_ended(id, *row);
    }
    return oldest.size();  // deleted, or nearer to it
}

beat_answer maintenance::beat(std::string_view card, duration ttl, std::span<const std::string> queues) {
    const std::string me{process_of(tx_.by().name)};
    sql_.beat.run(tx_.ns(), text{me}, tx_.now() + ttl.count(), text{card});
    keep_tally();
    beat_answer got;
    for (const auto& name : queues) {
        auto& last = tx_.idle.looked[{tx_.ns(), name}];
        // A clock that was set back must not put it off.
        if (last <= tx_.now() && last + store::looks_every.count() > tx_.now()) continue;
        last = tx_.now();
        got.looks = true;
    }
    auto rows = sql_.alive(tx_.ns(), tx_.now());
    rows.next();
    got.alive = static_cast<std::size_t>(rows.number(0));
    return got;
}

void maintenance::keep_tally() {
    tx_.cache().write(tx_.micros());  // what earlier calls of this transaction have counted
    const auto minute = tx_.now() / 60'000, day = tx_.now() / 86'400'000;
    if (sql_.has_tally(tx_.ns(), text{"m"}, minute).next()) return;
    sql_.tally.run(tx_.ns(), text{"m"}, minute);
    sql_.tally.run(tx_.ns(), text{"d"}, day);
    sql_.forget_tally.run(tx_.ns(), text{"m"}, minute - 59);
    sql_.forget_tally.run(tx_.ns(), text{"d"}, day - 399);
}

}  // namespace errand::sqlite
