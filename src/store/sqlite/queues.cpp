// Who is woken for what, and when a worker looks again.
#include "store/sqlite/ledger.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// The most that one call wakes: a full claim that leaves a backlog wakes the next one.
constexpr std::size_t chain = 8;

std::string_view process_of(std::string_view name) {
    const auto colon = name.rfind(':');
    if (colon == name.npos || colon == 0 || colon + 1 == name.size()) return name;
    const auto digits = name.substr(colon + 1);
    const bool numbered = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return numbered ? name.substr(0, colon) : name;
}

}  // namespace

void ledger::wake(std::string_view queue, std::size_t most) {
    for (; most > 0; --most) {
        auto* one = idle_.take(ns(), queue);
        if (!one) return;
        notices_.push_back({one, notice::kind::woken, {}});
    }
}

void ledger::wake_freed() {
    for (const auto& [queue, count] : freed_) wake(queue, std::min(count, chain));
    freed_.clear();
}

std::optional<std::int64_t> ledger::earliest(queue_row& queue) {
    std::optional<std::int64_t> first;
    for (const auto kind : {kind_of(state::delayed), kind_of(state::retry)}) {
        const auto* list = cache_->find_list(queue, kind);
        if (!list) continue;
        auto rows = sql_.first_place(list->k);
        if (rows.next() && !rows.is_null(0)) first = std::min(first.value_or(INT64_MAX), rows.number(0));
    }
    return first;
}

// Whether a task that is about to wait until then will be the first of its queue.
bool ledger::falls_before(queue_row& queue, std::int64_t due) {
    auto known = earliest_.find(queue.name);
    if (known == earliest_.end())
        known = earliest_.emplace(queue.name, earliest(queue).value_or(INT64_MAX)).first;
    if (due >= known->second) return false;
    known->second = due;
    return true;
}

bool ledger::any_ready(queue_row* queue) {
    if (!queue || queue->paused) return false;
    const auto* list = cache_->find_list(*queue, kind_of(state::ready));
    return list && sql_.any_ready(list->k).next();
}

// One worker of a process sleeps until exactly the next due time of a queue; the others look a second
// later, as a backup, so that a due time does not wake them all. That falls to another when the one that does it is gone or has
// overslept.
std::optional<time_point> ledger::next_look(std::span<const std::string> queues) {
    std::optional<std::int64_t> look;
    const std::string me{process_of(by_->name)};
    for (const auto& name : queues) {
        auto* queue = cache_->find_queue(name);
        auto at = queue ? earliest(*queue) : std::nullopt;
        if (!at) continue;
        auto& keeper = idle_.timekeepers[{ns(), name}];
        const bool theirs = !keeper.holder.empty() && keeper.holder != me && keeper.due <= *at + 50 &&
                            *at > now_ - 100 && is_alive(keeper.holder);
        if (theirs) {
            *at += 1000;
        } else {
            keeper = {*at, me};
        }
        look = std::min(look.value_or(INT64_MAX), *at);
    }
    if (!look) return std::nullopt;
    return time_point{duration{*look}};
}

bool ledger::is_alive(std::string_view worker) {
    auto rows = sql_.alive_until(ns(), text{worker});
    return rows.next() && rows.number(0) > now_;
}

std::pair<list_row*, std::int64_t> ledger::free_place(queue_row& queue, int priority,
                                                      std::optional<std::int64_t> due) {
    auto& freed = freed_[queue.name];
    if (due && *due > now_) {
        if (falls_before(queue, *due)) freed = std::max<std::size_t>(freed, 1);
        return {&cache_->list(queue, kind_of(state::delayed)), *due};
    }
    ++freed;
    return {&cache_->list(queue, kind_of(state::ready)), cache_->back_place(priority)};
}

void ledger::busy(std::span<const std::string> queues) {
    for (const auto& name : queues) {
        idle_.stop_waiting(*by_, name);
        if (any_ready(cache_->find_queue(name))) wake(name, 1);
    }
}

void ledger::leave(std::span<const std::string> queues) {
    const std::string me{process_of(by_->name)};
    sql_.leave.run(ns(), text{me});
    idle_.stop_waiting_for_news(*by_);
    for (const auto& name : queues) {
        idle_.stop_waiting(*by_, name);
        const auto keeper = idle_.timekeepers.find({ns(), name});
        const bool slept = keeper != idle_.timekeepers.end() && keeper->second.holder == me;
        if (slept) idle_.timekeepers.erase(keeper);
        // It may have been woken for a task that it did not claim, or been the one to sleep until the next due time.
        if (slept || any_ready(cache_->find_queue(name))) wake(name, 1);
    }
}

beat_answer ledger::beat(std::string_view card, duration ttl, std::span<const std::string> queues) {
    const std::string me{process_of(by_->name)};
    sql_.beat.run(ns(), text{me}, now_ + ttl.count(), text{card});
    keep_tally();
    beat_answer got;
    for (const auto& name : queues) {
        auto& last = idle_.looked[{ns(), name}];
        // A clock that was set back must not put it off.
        if (last <= now_ && last + store::looks_every.count() > now_) continue;
        last = now_;
        got.looks = true;
    }
    auto rows = sql_.alive(ns(), now_);
    rows.next();
    got.alive = static_cast<std::size_t>(rows.number(0));
    return got;
}

// What happened so far as it stands, once a minute for an hour and as the last of each day.
void ledger::keep_tally() {
    cache_->write(micros_);  // what earlier calls of this transaction have counted
    const auto minute = now_ / 60'000, day = now_ / 86'400'000;
    if (sql_.has_tally(ns(), text{"m"}, minute).next()) return;
    sql_.tally.run(ns(), text{"m"}, minute);
    sql_.tally.run(ns(), text{"d"}, day);
    sql_.forget_tally.run(ns(), text{"m"}, minute - 59);
    sql_.forget_tally.run(ns(), text{"d"}, day - 399);
}

bool ledger::pause(std::string_view queue) {
    auto& one = cache_->queue(queue);
    if (one.paused) return false;
    one.paused = now_;
    sql_.pause.run(one.k, now_);
    cache_->changed();
    return true;
}

bool ledger::resume(std::string_view queue) {
    auto* one = cache_->find_queue(queue);
    if (!one || !one->paused) return false;
    one->paused.reset();
    sql_.pause.run(one->k, std::optional<std::int64_t>{});
    cache_->changed();
    wake(queue, chain);
    return true;
}

}  // namespace errand::sqlite
