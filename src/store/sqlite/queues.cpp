#include "store/sqlite/queues.hpp"

#include "core/head_start.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// The most that one call wakes: a full claim that leaves a backlog wakes the next one.
constexpr std::size_t chain = 8;

}  // namespace

std::string_view process_of(std::string_view name) {
    const auto colon = name.rfind(':');
    if (colon == name.npos || colon == 0 || colon + 1 == name.size()) return name;
    const auto digits = name.substr(colon + 1);
    const bool numbered = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return numbered ? name.substr(0, colon) : name;
}

void queues::enter() {
    freed_.clear();
    earliest_.clear();
}

void queues::came_to_be_first(queue_row& queue) {
    auto& freed = freed_[queue.name];
    freed = std::max<std::size_t>(freed, 1);
}

void queues::wake(std::string_view queue, std::size_t most) {
    for (; most > 0; --most) {
        auto* one = tx_.idle.take(tx_.ns(), queue);
        if (!one) return tx_.concerns_others();
        tx_.notify(*one, notice::kind::woken);
    }
}

void queues::wake_freed() {
    for (const auto& [queue, count] : freed_) {
        wake(queue, std::min(count, chain));
        if (count > chain) tx_.concerns_others();
    }
    freed_.clear();
}

void queues::wake_let_go() {
    for (auto* queue : groups_.take_went_on()) {
        if (!queue->paused && groups_.any(*queue)) wake(queue->name, 1);
    }
    // Who sleeps until a later time looks anew.
    for (auto* queue : groups_.take_earlier()) {
        if (!queue->paused) wake(queue->name, 1);
    }
}

std::optional<std::int64_t> queues::earliest(queue_row& queue) {
    auto first = groups_.next_opening(queue);
    for (const auto kind : {kind_of(state::delayed), kind_of(state::retry)}) {
        const auto* list = tx_.cache().find_list(queue, kind);
        if (!list) continue;
        auto rows = sql_.first_place(list->k);
        if (rows.next() && !rows.is_null(0)) first = std::min(first.value_or(INT64_MAX), rows.number(0));
    }
    return first;
}

bool queues::falls_before(queue_row& queue, std::int64_t due) {
    auto known = earliest_.find(queue.name);
    if (known == earliest_.end())
        known = earliest_.emplace(queue.name, earliest(queue).value_or(INT64_MAX)).first;
    if (due >= known->second) return false;
    known->second = due;
    return true;
}

bool queues::any_ready(queue_row* queue) {
    if (!queue || queue->paused) return false;
    const auto* list = tx_.cache().find_list(*queue, kind_of(state::ready));
    return (list && sql_.any_ready(list->k).next()) || groups_.any(*queue);
}

// One process's worker sleeps until exactly the next due time of a queue; the others look a second later, as a backup, so
// that a due time does not wake them all. That falls to another when the one that does it is gone or has overslept.
std::int64_t queues::turn_of(idle_workers::timekeeper& keeper, std::int64_t due) {
    const std::string me{process_of(tx_.by().name)};
    // Who has slept until then and found nothing more knows nothing of what is due now.
    const bool slept = keeper.due <= tx_.now() && keeper.due < due;
    const bool theirs = !keeper.holder.empty() && keeper.holder != me && keeper.due <= due + 50 && !slept &&
                        due > tx_.now() - 100 && is_alive(keeper.holder);
    if (theirs) return due + 1000;
    keeper = {due, me};
    return due;
}

std::optional<time_point> queues::next_look(std::span<const std::string> queues) {
    std::optional<std::int64_t> look;
    for (const auto& name : queues) {
        auto* queue = tx_.cache().find_queue(name);
        const auto at = queue ? earliest(*queue) : std::nullopt;
        if (!at) continue;
        const auto turn = turn_of(tx_.idle.timekeepers[{tx_.ns(), name}], *at);
        look = std::min(look.value_or(INT64_MAX), turn);
    }
    if (!look) return std::nullopt;
    return time_point{duration{*look}};
}

bool queues::is_alive(std::string_view worker) {
    auto rows = sql_.alive_until(tx_.ns(), text{worker});
    return rows.next() && rows.number(0) > tx_.now();
}

std::pair<list_row*, std::int64_t> queues::free_place(queue_row& queue, int priority,
                                                      std::optional<std::int64_t> due,
                                                      std::optional<group_number> group, const task_id& id,
                                                      std::string_view body) {
    if (due && *due > tx_.now()) {
        if (falls_before(queue, *due)) came_to_be_first(queue);
        return {&tx_.cache().list(queue, kind_of(state::delayed)), *due};
    }
    const auto place = priority == ahead_priority && !group ? place_ahead(queue, id, body)
                                                            : tx_.cache().back_place(priority);
    return {&ready_list(queue, place, group, id), place};
}

std::int64_t queues::place_ahead(queue_row& queue, const task_id& id, std::string_view body) {
    std::string kept;
    if (body.empty()) {
        auto rows = sql_.body_of_task(tx_.ns(), id.view());
        if (rows.next() && !rows.is_null(0)) kept = rows.bytes(0);
        body = kept;
    }
    const auto* ready = tx_.cache().find_list(queue, kind_of(state::ready));
    const auto after = ready ? first_after(*ready, tx_.time() - head_start_of(body)) : std::nullopt;
    if (!after) return tx_.cache().back_place(ahead_priority);
    const auto before = last_before(*ready, *after);
    if (!before) return tx_.cache().front_place(ahead_priority);
    const auto room = make_room(*ready, *before, *after);
    // Those with the same head start come one after the other, and longer ones between them.
    return *before + std::min(room / 2, places_apart / 16);
}

// How far `after` is from `before` when it is far enough; where too many stand too near to each other they share places.
std::int64_t queues::make_room(const list_row& ready, std::int64_t before, std::int64_t after) {
    if (after - before >= 2) return after - before;
    constexpr std::size_t most_moved = 128;
    std::vector<std::pair<std::int64_t, std::int64_t>> behind;  // rows and their places
    for (auto rows = sql_.rows_from(ready.k, after, end_of_rank(rank_of(ahead_priority)), most_moved + 1);
         rows.next();)
        behind.emplace_back(rows.number(0), rows.number(1));
    if (behind.size() <= most_moved) {
        for (auto& [row, place] : behind)
            sql_.move_row.run(row, place = tx_.cache().back_place(ahead_priority));
        return behind.front().second - before;
    }
    for (std::size_t count = 1; count < behind.size(); ++count) {
        const auto step = (behind[count].second - before) / static_cast<std::int64_t>(count + 1);
        if (step < places_apart / 16) continue;
        for (std::size_t at = 0; at < count; ++at)
            sql_.move_row.run(behind[at].first, before + step * static_cast<std::int64_t>(at + 1));
        return step;
    }
    return 0;
}

std::optional<std::int64_t> queues::last_before(const list_row& ready, std::int64_t place) {
    auto rows = sql_.last_before(ready.k, place, end_of_rank(rank_of(ahead_priority) - 1));
    return rows.next() && !rows.is_null(0) ? std::optional{rows.number(0)} : std::nullopt;
}

// By halves, as those without a priority stand in the order in which they became ready.
std::optional<std::int64_t> queues::first_after(const list_row& ready, time_point order) {
    const auto last = last_before(ready, end_of_rank(rank_of(ahead_priority)));
    if (!last) return std::nullopt;
    std::int64_t from = end_of_rank(rank_of(ahead_priority) - 1), to = *last + 1;
    if (auto rows = sql_.first_from(ready.k, from, to); rows.next()) from = rows.number(0);
    std::optional<std::int64_t> found;
    while (from < to) {
        const auto middle = from + (to - from) / 2;
        auto rows = sql_.first_from(ready.k, middle, to);
        if (!rows.next()) {
            to = middle;
        } else if (ready_order(rows.bytes(1), rows.bytes(2)) > order) {
            found = rows.number(0);
            to = middle;
        } else {
            from = rows.number(0) + 1;
        }
    }
    return found;
}

std::pair<list_row*, std::int64_t> queues::place_in_front(queue_row& queue, int priority,
                                                          std::optional<group_number> group,
                                                          const task_id& id) {
    const auto place = tx_.cache().front_place(priority);
    return {&ready_list(queue, place, group, id), place};
}

list_row& queues::ready_list(queue_row& queue, std::int64_t place, std::optional<group_number> group,
                             const task_id& id) {
    if (!group) {
        became_ready(queue);
        return tx_.cache().list(queue, kind_of(state::ready));
    }
    // Nobody is woken for one that is parked.
    if (groups_.come(queue, *group, place, id)) became_ready(queue);
    return groups_.list(queue);
}

void queues::busy(std::span<const std::string> queues) {
    for (const auto& name : queues) {
        tx_.idle.stop_waiting(tx_.by(), name);
        if (any_ready(tx_.cache().find_queue(name))) wake(name, 1);
    }
}

void queues::leave(std::span<const std::string> queues) {
    const std::string me{process_of(tx_.by().name)};
    sql_.leave.run(tx_.ns(), text{me});
    tx_.idle.stop_waiting_for_news(tx_.by());
    for (const auto& name : queues) {
        tx_.idle.stop_waiting(tx_.by(), name);
        const auto keeper = tx_.idle.timekeepers.find({tx_.ns(), name});
        const bool slept = keeper != tx_.idle.timekeepers.end() && keeper->second.holder == me;
        if (slept) tx_.idle.timekeepers.erase(keeper);
        // It may have been woken for a task that it did not claim, or been the one to sleep until the next due time.
        if (slept || any_ready(tx_.cache().find_queue(name))) wake(name, 1);
    }
}

bool queues::pause(std::string_view queue) {
    auto& one = tx_.cache().queue(queue);
    if (one.paused) return false;
    one.paused = tx_.now();
    sql_.pause.run(one.k, tx_.now());
    tx_.cache().changed();
    return true;
}

bool queues::resume(std::string_view queue) {
    auto* one = tx_.cache().find_queue(queue);
    if (!one || !one->paused) return false;
    one->paused.reset();
    sql_.pause.run(one->k, std::optional<std::int64_t>{});
    tx_.cache().changed();
    wake(queue, chain);
    tx_.concerns_others();
    return true;
}

}  // namespace errand::sqlite
