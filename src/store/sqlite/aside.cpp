// Tasks that stand aside until somebody comes who knows their handler: in lists of their own, one for each handler and
// priority, which no due time concerns.
#include "store/sqlite/ledger.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

constexpr std::size_t most_bytes_adopted = std::size_t{16} * 1024 * 1024;
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
    return key_of_handler(body.handler) + 9 - body.priority;
}
std::int64_t key_of_list(std::int64_t retention) { return retention - (retention % priorities); }

std::set<std::int64_t> keys_of(std::span<const std::string> handlers) {
    std::set<std::int64_t> keys;
    for (const auto& one : handlers) keys.insert(key_of_handler(one));
    return keys;
}

}  // namespace

bool ledger::put_aside(const report& one, std::optional<std::int64_t> row_number) {
    const auto row = row_of(one.id);
    if (!row || row->claim != one.claim) return false;
    const auto body = decode_body(body_of(*row));
    auto& queue = *row->list->queue;
    auto& to = cache_->list(queue, kind_of(state::delayed), key_of_list_for(body));
    sql_.finish_later.run(ns(), one.id.view(), one.claim, to.k, now_, std::string_view{one.record},
                          row_number);
    if (!in_.changed()) return false;
    cache_->grow(*row->list, -1);
    cache_->grow(to, 1);
    stood_aside_ = true;
    return true;
}

bool ledger::is_astray(const task_id& id, const list_row& in) {
    const auto body = decode_body(body_of(*row_of(id)));
    return in.queue->name != body.queue || in.retention != key_of_list_for(body);
}

// Of what is due: it does where workers are about that do not know its handler.
bool ledger::stands_aside_again(const task_id& id, list_row& from) {
    const auto row = row_of(id);
    if (row->notes.empty() || decode_notes(row->notes).unknown_handler == 0) return false;
    put_aside_anew(id, from);
    return true;
}

void ledger::put_aside_anew(const task_id& id, list_row& from) {
    const auto body = decode_body(body_of(*row_of(id)));
    auto& to = cache_->list(cache_->queue(body.queue), kind_of(state::delayed), key_of_list_for(body));
    sql_.mend_place.run(ns(), id.view(), to.k, now_);
    cache_->grow(from, -1);
    cache_->grow(to, 1);
    stood_aside_ = true;
}

// Those in which there is something.
std::vector<list_row*> ledger::aside_lists(std::span<const std::string> queues,
                                           const std::set<std::int64_t>& handlers) {
    std::vector<list_row*> all;
    for (const auto& name : queues) {
        auto* queue = cache_->find_queue(name);
        if (!queue || queue->paused) continue;
        for (auto at = queue->lists.upper_bound({kind_of(state::delayed), 0}); at != queue->lists.end();
             ++at) {
            auto* list = at->second;
            if (!list->aside()) break;
            if (handlers.contains(key_of_list(list->retention)) && sql_.any_ready(list->k).next())
                all.push_back(list);
        }
    }
    return all;
}

adopt_answer ledger::adopt(const adopt_call& asked) {
    auto handlers = keys_of(asked.handlers);
    const auto lists = aside_lists(asked.queues, handlers);
    adopt_answer got;
    std::vector<std::pair<list_row*, std::size_t>> found;
    std::size_t bytes = 0;
    for (auto* list : lists) {
        const auto before = got.tasks.size();
        for (auto rows = sql_.heads(list->k, asked.limit - before); rows.next();) {
            const auto body = rows.bytes(2), notes = rows.bytes(1);
            bytes += body.size() + notes.size();
            if (bytes > most_bytes_adopted && !got.tasks.empty()) break;
            got.tasks.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                                 .queue = list->queue->name,
                                 .body = std::string{body},
                                 .notes = std::string{notes}});
        }
        if (got.tasks.size() > before) found.emplace_back(list, got.tasks.size() - before);
        if (bytes > most_bytes_adopted || got.tasks.size() == asked.limit) break;
    }
    const auto number = take_lease(got.tasks, asked.lease);
    for (auto& task : got.tasks) task.claim = number;
    for (const auto& [list, count] : found) {
        auto& to = cache_->list(*list->queue, kind_of(state::working));
        sql_.take.run(list->k, count, to.k, number);
        cache_->grow(*list, -static_cast<std::int64_t>(count));
        cache_->grow(to, static_cast<std::int64_t>(count));
    }
    got.more = !aside_lists(asked.queues, handlers).empty();
    if (got.more) {
        idle_.stop_waiting_aside(*by_);
    } else {
        idle_.wait_aside({by_, asked.queues, std::move(handlers)});
    }
    return got;
}

// Those of this namespace for whom there is something; they are told once.
void ledger::tell_adopters() {
    std::vector<caller*> told;
    for (const auto& one : idle_.adopters()) {
        if (one.who->ns == ns() && !aside_lists(one.queues, one.handlers).empty()) told.push_back(one.who);
    }
    for (auto* who : told) {
        idle_.stop_waiting_aside(*who);
        notices_.push_back({who, notice::kind::aside, {}});
    }
}

void ledger::drop_empty_asides() {
    std::vector<list_row*> empty;
    for (const auto& [name, queue] : cache_->queues()) {
        for (const auto& [key, list] : queue.lists) {
            if (list->aside() && list->grown == 0 && !sql_.any_ready(list->k).next()) empty.push_back(list);
        }
    }
    for (auto* list : empty) cache_->drop_list(*list);
}

}  // namespace errand::sqlite
