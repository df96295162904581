#include "store/sqlite/inspection.hpp"

#include "core/digits.hpp"

namespace errand::sqlite {
namespace {

constexpr std::size_t most_bytes_listed = 4'000'000;  // of a page
constexpr std::string_view running_list = "working";
constexpr std::size_t needs_shown = 100;

time_point time_of(std::int64_t ms) { return time_point{duration{ms}}; }
time_point time_of_claim(claim_number claim) { return time_of(static_cast<std::int64_t>(claim / 1000)); }

// What is behind this place and this id is read.
struct page_start {
    std::int64_t place;
    std::string id;
};

page_start start_of(const list_call& call) {
    if (!call.after.empty()) {
        const auto blank = call.after.find(' ');
        return {number_in(std::string_view{call.after}.substr(0, blank)), call.after.substr(blank + 1)};
    }
    if (!call.from) return {call.newest_first ? INT64_MAX : INT64_MIN, {}};
    // Before all ids, or behind them.
    const bool before = call.newest_first == call.from->behind;
    return {call.from->order.time_since_epoch().count(), before ? std::string{} : std::string(17, '\xff')};
}

}  // namespace

std::optional<found_task> inspection::find(const task_id& id) {
    const auto row = rows_.find(id);
    if (!row) return std::nullopt;
    found_task found;
    found.id = id;
    found.where = row->where();
    found.body = rows_.body_of(*row);
    found.notes = row->notes;
    found.stages = rows_.stages_of(id);
    found.now = tx_.time();
    if (row->ended()) {
        found.finished_at = time_of(row->finished_at());
        found.outcome = row->outcome;
    } else if (row->claim) {
        found.claim = *row->claim;
        found.worker = worker_of(*row->claim);
        found.claimed_at = time_of_claim(*row->claim);
    } else if ((found.where == state::delayed || found.where == state::retry) && !row->list->aside()) {
        found.due_at = time_of(*row->place);
    }
    if (found.where == state::ready) found.closed = gates_.closed_of(gates_of(found.body));
    // One that waits, or was cancelled because of one it waited for.
    if (found.where != state::waiting && found.where != state::cancelled) return found;
    if (const auto record = edges_.waiting_of(id)) {
        found.needs = edges_.page(link::needs, id, needs_shown);
        found.needed = edges_.count(link::needs, id);
        found.failed = edges_.count(link::failed, id);
        found.registering = is_incomplete(record->phase);
        const bool timed = record->due > 0 && record->rule != on_failed::bundle;
        if (!row->ended() && timed) found.due_at = time_of(record->due);
    }
    return found;
}

std::string inspection::worker_of(claim_number claim) {
    auto rows = sql_.worker_of_claim(tx_.ns(), claim);
    return rows.next() ? std::string{rows.bytes(0)} : std::string{};
}

watch_answer inspection::watch(std::span<const watched_task> tasks) {
    watch_answer got;
    got.now = tx_.time();
    watched_at_ = tx_.micros();
    for (const auto& one : tasks) {
        const auto row = rows_.find(one.id);
        if (!row) {
            // A file loses no task: one that was accepted has ended and was deleted.
            if (one.life != 0) {
                got.gone.push_back(one);
            } else {
                got.unknown.push_back(one.id);
            }
        } else if (one.life != 0 && one.life != row->life) {
            got.replaced.push_back(one);
        } else if (row->ended()) {
            got.ended.push_back({one.id, row->life, time_of(row->finished_at()), row->outcome});
        } else {
            sql_.watch.run(tx_.ns(), one.id.view(), tx_.process, text{tx_.by().name}, tx_.now());
            tx_.any.watched = true;
        }
    }
    return got;
}

bool inspection::watches() const {
    constexpr std::int64_t for_so_long = 120'000'000;
    return watched_at_ + for_so_long > tx_.clock();
}

std::vector<task_list> inspection::lists(state where, std::string_view queue) {
    if (where == state::working) return {{"", std::string{running_list}}};
    std::vector<task_list> all;
    for (const auto& [name, one] : tx_.cache().queues()) {
        if (!queue.empty() && queue != name) continue;
        for (const auto& [key, list] : one.lists) {
            if (list->kind == kind_of(where)) all.push_back({name, std::to_string(list->k)});
        }
    }
    return all;
}

// A cursor is a place and an id: it is found again also when its task has left the list.
list_answer inspection::list(const list_call& call) {
    if (call.of.name == running_list) return list_running(call);
    const auto start = start_of(call);
    list_answer got;
    got.last = call.after;
    std::size_t bytes = 0;
    auto& page = call.newest_first ? sql_.list_newest : sql_.list_oldest;
    const auto* from = tx_.cache().find_list_of(number_in(call.of.name));
    const bool waits =
        (call.where == state::delayed || call.where == state::retry) && !(from && from->aside());
    for (auto rows = page(number_in(call.of.name), start.place, std::string_view{start.id}, call.limit);
         rows.next();) {
        list_item one;
        one.task.id = *task_id::from_bytes(rows.bytes(0));
        one.task.where = call.where;
        one.task.now = tx_.time();
        one.task.notes = rows.bytes(2);
        one.task.outcome = rows.bytes(3);
        one.task.body = rows.bytes(4);
        if (one.task.body.empty()) continue;  // a check-up takes it out
        const auto at = time_of(rows.number(1));
        one.order = at;  // of a ready task its place, which is told from all others of the namespace
        if (is_end(call.where)) one.task.finished_at = at;
        if (waits) one.task.due_at = at;
        if (from && from->gated()) one.task.closed = gates_.closed_of(gates_of(one.task.body));
        one.cursor = std::to_string(rows.number(1)) + ' ' + std::string{one.task.id.view()};
        bytes += one.task.body.size() + one.task.outcome.size();
        got.last = one.cursor;
        got.items.push_back(std::move(one));
        got.more = got.items.size() >= call.limit || bytes > most_bytes_listed;
        if (bytes > most_bytes_listed) break;
    }
    return got;
}

std::vector<std::optional<time_point>> inspection::heads(std::span<const list_call> calls) {
    std::vector<std::optional<time_point>> got;
    for (const auto& call : calls) {
        const auto start = start_of(call);
        auto& page = call.newest_first ? sql_.list_newest : sql_.list_oldest;
        auto rows = page(number_in(call.of.name), start.place, std::string_view{start.id}, std::size_t{1});
        got.push_back(rows.next() ? std::optional{time_of(rows.number(1))} : std::nullopt);
    }
    return got;
}

// What workers run stands in no order; a page is whole claims.
list_answer inspection::list_running(const list_call& call) {
    struct held_claim {
        claim_number number;
        std::string worker;
        std::string tasks;
    };
    std::vector<held_claim> claims;
    for (auto rows = sql_.list_claims(tx_.ns(), number_in(call.after), call.limit); rows.next();) {
        claims.push_back({static_cast<claim_number>(rows.number(0)), std::string{rows.bytes(1)},
                          std::string{rows.bytes(2)}});
    }
    list_answer got;
    got.last = call.after;
    got.more = claims.size() >= call.limit;
    for (const auto& claim : claims) {
        std::string_view ids{claim.tasks};
        for (; ids.size() >= 16; ids.remove_prefix(16)) {
            auto rows = sql_.held(tx_.ns(), ids.substr(0, 16), claim.number);
            if (!rows.next()) continue;
            list_item one;
            one.task.id = *task_id::from_bytes(ids.substr(0, 16));
            one.task.where = state::working;
            one.task.now = tx_.time();
            one.task.notes = rows.bytes(0);
            one.task.body = rows.bytes(1);
            one.task.claim = claim.number;
            one.task.worker = claim.worker;
            one.task.claimed_at = one.order = time_of_claim(claim.number);
            one.cursor = call.after;  // there is no place within the page
            got.items.push_back(std::move(one));
        }
        got.last = std::to_string(claim.number);
        if (got.items.size() < call.limit) continue;
        got.more = true;
        break;
    }
    return got;
}

}  // namespace errand::sqlite
