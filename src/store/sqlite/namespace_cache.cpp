#include "store/sqlite/namespace_cache.hpp"

#include "core/kept_for.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace errand::sqlite {
namespace {

// The first one given stands in the middle of its band.
constexpr std::int64_t middle_of(int priority) {
    return rank_of(priority) * band_of_places + band_of_places / 2;
}

}  // namespace

void namespace_cache::read() {
    const auto known = layout_;
    auto rows = sql_.read_name_space(k_);
    if (!rows.next()) throw failure{SQLITE_ERROR, "its namespace is gone"};
    claim_ = rows.number(0);
    back_ = rows.number(1);
    front_ = rows.number(2);
    token_ = rows.number(3);
    layout_ = rows.number(4);
    clock_ = rows.number(5);
    slots_ = rows.number(6);
    settings_ = rows.number(7);
    dirty_ = false;
    read_ = true;
    if (layout_ != known) read_layout();
}

void namespace_cache::read_layout() {
    queues_.clear();
    lists_.clear();
    grown_.clear();
    touched_.clear();
    last_ = nullptr;
    std::unordered_map<std::int64_t, queue_row*> by_key;
    for (auto rows = sql_.queues(k_); rows.next();) {
        auto& one = queues_[std::string{rows.bytes(1)}];
        one.k = rows.number(0);
        one.name = rows.bytes(1);
        if (!rows.is_null(2)) one.paused = rows.number(2);
        by_key[one.k] = &one;
    }
    for (auto rows = sql_.lists(k_); rows.next();) {
        auto& of = *by_key.at(rows.number(1));
        auto one = std::make_unique<list_row>();
        one->k = rows.number(0);
        one->queue = &of;
        one->kind = static_cast<list_kind>(rows.number(2));
        one->retention = rows.number(3);
        of.lists[{one->kind, one->retention}] = one.get();
        lists_.emplace(one->k, std::move(one));
    }
}

void namespace_cache::write(std::int64_t micros) {
    for (auto* list : grown_) {
        if (list->grown != 0) sql_.grow.run(list->k, list->grown);
        list->grown = 0;
    }
    for (auto* queue : touched_) {
        const auto& by = queue->happened;
        sql_.count.run(queue->k, by.success, by.dead, by.cancelled, by.expired, by.failed);
        queue->happened = {};
        queue->touched = false;
    }
    if (dirty_ || !grown_.empty())
        sql_.write_name_space.run(k_, claim_, back_, front_, token_, layout_, std::max(clock_, micros),
                                  slots_);
    grown_.clear();
    touched_.clear();
    dirty_ = false;
}

queue_row* namespace_cache::find_queue(std::string_view name) {
    if (last_ && last_->name == name) return last_;
    const auto at = queues_.find(name);
    if (at == queues_.end()) return nullptr;
    return last_ = &at->second;
}

queue_row& namespace_cache::queue(std::string_view name) {
    if (auto* known = find_queue(name)) return *known;
    sql_.make_queue.run(k_, text{name});
    auto& one = queues_[std::string{name}];
    one.k = in_.last_row();
    one.name = name;
    // Of a queue of that number that is gone: there are none, unless the file was damaged.
    sql_.drop_orphans.run(one.k);
    changed();
    return one;
}

queue_row* namespace_cache::find_queue_of(std::int64_t k) {
    for (auto& [name, queue] : queues_) {
        if (queue.k == k) return &queue;
    }
    return nullptr;
}

list_row* namespace_cache::find_list(queue_row& of, list_kind kind, std::int64_t retention) {
    const auto at = of.lists.find({kind, retention});
    return at == of.lists.end() ? nullptr : at->second;
}

list_row& namespace_cache::list(queue_row& of, list_kind kind, std::int64_t retention) {
    // Of tasks that have not ended it is no length of time.
    if (is_ended(kind)) retention = kept_for(duration{retention}).count();
    if (auto* known = find_list(of, kind, retention)) return *known;
    sql_.make_list.run(of.k, kind, retention);
    auto one = std::make_unique<list_row>(list_row{
        .k = in_.last_row(), .queue = &of, .kind = kind, .retention = retention});
    auto& made = *one;
    of.lists[{kind, retention}] = &made;
    lists_.emplace(made.k, std::move(one));
    changed();
    return made;
}

list_row* namespace_cache::find_list_of(std::int64_t k) {
    const auto at = lists_.find(k);
    return at == lists_.end() ? nullptr : at->second.get();
}

list_row& namespace_cache::list_of(std::int64_t k) {
    if (auto* found = find_list_of(k)) return *found;
    throw_damaged("a task stands in a list that is not there: `errand doctor --repair` puts it right");
}

void namespace_cache::drop_list(list_row& empty) {
    sql_.drop_list.run(empty.k);
    if (!in_.changed()) return;
    empty.queue->lists.erase({empty.kind, empty.retention});
    std::erase(grown_, &empty);
    lists_.erase(empty.k);
    changed();
}

void namespace_cache::drop_queue(queue_row& empty) {
    sql_.drop_orphans.run(empty.k);
    sql_.drop_turns.run(empty.k);
    sql_.drop_queue.run(empty.k);
    for (const auto& [key, list] : empty.lists) {
        std::erase(grown_, list);
        lists_.erase(list->k);
    }
    std::erase(touched_, &empty);
    if (last_ == &empty) last_ = nullptr;
    queues_.erase(queues_.find(empty.name));
    changed();
}

void namespace_cache::grow(list_row& list, std::int64_t by) {
    if (list.grown == 0 && std::ranges::find(grown_, &list) == grown_.end()) grown_.push_back(&list);
    list.grown += by;
}

void namespace_cache::shift(list_row& from, list_row& to, std::int64_t by) {
    grow(from, -by);
    grow(to, by);
}

void namespace_cache::count(queue_row& queue, std::int64_t queue_totals::* what, std::int64_t by) {
    if (!queue.touched) touched_.push_back(&queue);
    queue.touched = true;
    queue.happened.*what += by;
}

std::int64_t namespace_cache::front_place(int priority) {
    dirty_ = true;
    return middle_of(priority) - ++front_ * places_apart;
}

std::int64_t namespace_cache::back_place(int priority) {
    dirty_ = true;
    return middle_of(priority) + ++back_ * places_apart;
}

std::int64_t namespace_cache::next_in_order() {
    dirty_ = true;
    return ++back_;
}

claim_number namespace_cache::next_claim(std::int64_t micros) {
    dirty_ = true;
    claim_ = std::max(claim_ + 1, micros);
    return static_cast<claim_number>(claim_);
}

std::int64_t namespace_cache::next_token() {
    dirty_ = true;
    return ++token_;
}

}  // namespace errand::sqlite
