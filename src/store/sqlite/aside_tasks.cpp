#include "store/sqlite/aside_tasks.hpp"

#include "core/record.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

constexpr std::int64_t priorities = 16;

// Every process must find the same, so this is no std::hash: FNV-1a, with room for the priority, and never 0.
std::int64_t key_of_handler(std::string_view name) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : name) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211U;
    }
    return static_cast<std::int64_t>(hash >> 1U) / (2 * priorities) * (2 * priorities) + priorities;
}
// The most urgent ones first.
std::int64_t key_of_list_for(const task_body& body) {
    return key_of_handler(body.handler) + rank_of(body.priority);
}
std::int64_t key_of_list(std::int64_t retention) { return retention - (retention % priorities); }

}  // namespace

std::set<std::int64_t> aside_tasks::keys_of(std::span<const std::string> handlers) {
    std::set<std::int64_t> keys;
    for (const auto& one : handlers) keys.insert(key_of_handler(one));
    return keys;
}

bool aside_tasks::put(const report& one, std::optional<std::int64_t> row_number) {
    const auto row = rows_.find(one.id);
    if (!row || row->claim != one.claim) return false;
    const auto body = decode_body(rows_.body_of(*row));
    auto& queue = *row->list->queue;
    auto& to = tx_.cache().list(queue, kind_of(state::delayed), key_of_list_for(body));
    sql_.finish_later.run(tx_.ns(), one.id.view(), one.claim, to.k, tx_.now(), std::string_view{one.record},
                          row_number);
    if (!tx_.in.changed()) return false;
    tx_.cache().shift(*row->list, to);
    stood_aside_ = true;
    return true;
}

bool aside_tasks::is_astray(const task_id& id, const list_row& in) {
    const auto body = decode_body(rows_.body_of(*rows_.find(id)));
    return in.queue->name != body.queue || in.retention != key_of_list_for(body);
}

bool aside_tasks::stands_aside_again(const task_id& id, list_row& from) {
    const auto row = rows_.find(id);
    if (row->notes.empty() || decode_notes(row->notes).unknown_handler == 0) return false;
    put_anew(id, from);
    return true;
}

void aside_tasks::put_anew(const task_id& id, list_row& from) {
    auto& to = take_in(decode_body(rows_.body_of(*rows_.find(id))));
    sql_.mend_place.run(tx_.ns(), id.view(), to.k, tx_.now());
    tx_.cache().shift(from, to);
}

list_row& aside_tasks::take_in(const task_body& body) {
    stood_aside_ = true;
    return tx_.cache().list(tx_.cache().queue(body.queue), kind_of(state::delayed), key_of_list_for(body));
}

std::vector<list_row*> aside_tasks::lists(std::span<const std::string> queues,
                                          const std::set<std::int64_t>& handlers, bool all_but) {
    std::vector<list_row*> all;
    for (const auto& name : queues) {
        auto* queue = tx_.cache().find_queue(name);
        if (!queue || queue->paused) continue;
        for (auto at = queue->lists.upper_bound({kind_of(state::delayed), 0}); at != queue->lists.end();
             ++at) {
            auto* list = at->second;
            if (!list->aside()) break;
            if (handlers.contains(key_of_list(list->retention)) != all_but && sql_.any_ready(list->k).next())
                all.push_back(list);
        }
    }
    return all;
}

void aside_tasks::tell_adopters() {
    std::vector<caller*> told;
    for (const auto& one : tx_.idle.adopters()) {
        if (one.who->ns == tx_.ns() && !lists(one.queues, one.handlers).empty()) told.push_back(one.who);
    }
    for (auto* who : told) {
        tx_.idle.stop_waiting_aside(*who);
        tx_.notify(*who, notice::kind::aside);
    }
}

void aside_tasks::tell_adopters_of_opened() {
    tell_adopters();
    const auto holds = [](const auto& entry) { return entry.second->aside(); };
    for (const auto& [name, queue] : tx_.cache().queues()) {
        if (std::ranges::any_of(queue.lists, holds)) return tx_.concerns_others();
    }
}

void aside_tasks::drop_empty_lists() {
    std::vector<list_row*> empty;
    for (const auto& [name, queue] : tx_.cache().queues()) {
        for (const auto& [key, list] : queue.lists) {
            if (list->aside() && list->grown == 0 && !sql_.any_ready(list->k).next()) empty.push_back(list);
        }
    }
    for (auto* list : empty) tx_.cache().drop_list(*list);
}

}  // namespace errand::sqlite
