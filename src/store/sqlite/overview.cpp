// Counts, rates and workers, without looking at a single task.
#include "store/sqlite/inspection.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

std::size_t* count_of(queue_state& queue, list_kind kind) {
    switch (static_cast<state>(kind)) {
    case state::waiting: return &queue.waiting;
    case state::delayed: return &queue.delayed;
    case state::ready: return &queue.ready;
    case state::retry: return &queue.retry;
    case state::success: return &queue.success;
    case state::dead: return &queue.dead;
    case state::cancelled: return &queue.cancelled;
    case state::expired: return &queue.expired;
    default: return nullptr;
    }
}

queue_totals totals_at(const cursor& row, int column) {
    return {.success = row.number(column),
            .dead = row.number(column + 1),
            .cancelled = row.number(column + 2),
            .expired = row.number(column + 3),
            .failed = row.number(column + 4)};
}

}  // namespace

overview_answer inspection::overview() {
    tx_.cache().write(tx_.micros());  // what earlier calls of this transaction have counted
    overview_answer got;
    got.now = tx_.time();
    std::map<std::int64_t, std::size_t> places;
    for (auto& [name, queue] : tx_.cache().queues()) {
        queue_state one;
        one.queue = name;
        one.idle_workers = tx_.idle.waiting(tx_.ns(), name);
        if (queue.paused) one.paused_since = time_point{duration{*queue.paused}};
        // Of the plain ones, if there are any.
        for (const auto of : {gated_list, std::int64_t{0}}) {
            const auto* ready = tx_.cache().find_list(queue, kind_of(state::ready), of);
            if (!ready) continue;
            auto rows = sql_.next_life(ready->k);
            if (rows.next())
                one.next_submitted_at = time_point{
                    duration{static_cast<std::int64_t>(static_cast<incarnation>(rows.number(0)) >> 16)}};
        }
        places[queue.k] = got.queues.size();
        got.queues.push_back(std::move(one));
    }
    for (auto rows = sql_.sizes(tx_.ns()); rows.next();) {
        const auto kind = static_cast<list_kind>(rows.number(1));
        const auto size = static_cast<std::size_t>(std::max<std::int64_t>(rows.number(2), 0));
        if (kind == kind_of(state::working)) got.working += size;
        if (auto* count = count_of(got.queues.at(places.at(rows.number(0))), kind)) *count += size;
    }
    return got;
}

totals_answer inspection::happened() {
    tx_.cache().write(tx_.micros());  // what earlier calls of this transaction have counted
    totals_answer got;
    got.now = tx_.time();
    for (auto rows = sql_.totals(tx_.ns()); rows.next();)
        got.so_far[std::string{rows.bytes(0)}] = totals_at(rows, 1);
    for (auto rows = sql_.tallies(tx_.ns()); rows.next();) {
        auto& at = rows.bytes(0) == "m" ? got.at_minute : got.at_day;
        at[rows.number(1)][std::string{rows.bytes(2)}] = totals_at(rows, 3);
    }
    return got;
}

std::vector<worker_card> inspection::workers() {
    std::vector<worker_card> all;
    for (auto rows = sql_.workers(tx_.ns(), tx_.now()); rows.next();) {
        all.push_back({std::string{rows.bytes(0)}, std::string{rows.bytes(1)},
                       time_point{duration{rows.number(2)}}});
    }
    return all;
}

}  // namespace errand::sqlite
