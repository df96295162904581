// Edges between tasks, what waits, and the news that edges carry.
#include "store/sqlite/edge.hpp"

namespace errand::sqlite {
namespace {

// Of one task and kind, in one call.
constexpr std::size_t most_edges = 500;

task_id id_of(std::string_view bytes) {
    if (const auto id = task_id::from_bytes(bytes)) return *id;
    throw failure{11, "an id is not 16 bytes"};
}

}  // namespace

// Most files hold none; then nothing is looked for, task by task.
bool ledger::any_edges() {
    if (!any_edges_) any_edges_ = sql_.any_link().next();
    return *any_edges_;
}

bool ledger::any_link(char kind, const task_id& of) {
    return any_edges() && sql_.any_link_of(ns(), text{{&kind, 1}}, of.view()).next();
}

std::vector<task_id> ledger::links_of(char kind, const task_id& of, std::size_t limit,
                                      const std::optional<task_id>& after) {
    std::vector<task_id> found;
    if (!any_edges()) return found;
    const auto from = after ? after->view() : std::string_view{};
    for (auto rows = sql_.page_of_links(ns(), text{{&kind, 1}}, of.view(), from, limit); rows.next();)
        found.push_back(id_of(rows.bytes(0)));
    return found;
}

std::size_t ledger::count_links(char kind, const task_id& of) {
    auto rows = sql_.count_links(ns(), text{{&kind, 1}}, of.view());
    return rows.next() ? static_cast<std::size_t>(rows.number(0)) : 0;
}

bool ledger::has_link(char kind, const task_id& of, const task_id& other) {
    return any_edges() && sql_.has_link(ns(), text{{&kind, 1}}, of.view(), other.view()).next();
}

void ledger::add_link(char kind, const task_id& of, const task_id& other) {
    any_edges_ = true;
    sql_.add_link.run(ns(), text{{&kind, 1}}, of.view(), other.view());
}

bool ledger::drop_link(char kind, const task_id& of, const task_id& other) {
    if (!any_edges()) return false;
    sql_.drop_link.run(ns(), text{{&kind, 1}}, of.view(), other.view());
    return in_.changed();
}

std::optional<waiting_row> ledger::waiting_of(const task_id& id) {
    auto rows = sql_.waiting(ns(), id.view());
    if (!rows.next()) return std::nullopt;
    return waiting_row{rows.bytes(0).front(), rows.bytes(1).front(), rows.number(2)};
}

void ledger::keep_waiting(const task_id& id, const waiting_row& row) {
    sql_.wait.run(ns(), id.view(), text{{&row.phase, 1}}, text{{&row.rule, 1}}, row.due);
}

// Forgets all that a task of this id waited for.
void ledger::forget_waiting(const task_id& id) {
    sql_.forget_waiting.run(ns(), id.view());
    while (!forget_parents(id, most_edges)) {
    }
}

// What a task waited for, with its place in the lists of those that it waited for; at most `limit` of each kind. False when
// some may be left.
bool ledger::forget_parents(const task_id& id, std::size_t limit) {
    bool all = true;
    for (const char kind : {'n', 'f'}) {
        const auto parents = links_of(kind, id, limit);
        for (const auto& parent : parents) {
            drop_link(kind, id, parent);
            drop_link('c', parent, id);
        }
        all = all && parents.size() < limit;
    }
    return all;
}

// The edges of a task that is about to be deleted, in steps; false while some are left. What waits for a later task of
// this id stays.
bool ledger::untie(const task_id& id) {
    if (!any_edges()) return true;
    const bool all = forget_parents(id, most_edges);
    const auto served = links_of('s', id, most_edges);
    for (const auto& child : served) drop_link('s', id, child);
    const auto told = links_of('c', id, most_edges);
    std::size_t gone = 0;
    for (const auto& child : told) {
        const auto record = waiting_of(child);
        if (record && record->phase != 'f') continue;
        drop_link('c', id, child);
        ++gone;
    }
    return all && served.size() < most_edges && !(told.size() == most_edges && gone > 0);
}

std::vector<ledger::edge> ledger::edges_after(std::string_view cursor, std::size_t limit) {
    std::vector<edge> found;
    const auto part = [&](std::size_t from) { return cursor.empty() ? cursor : cursor.substr(from, 16); };
    for (auto rows = sql_.audit_links(ns(), text{cursor.substr(0, 1)}, part(1), part(17), limit);
         rows.next();)
        found.push_back({rows.bytes(0).front(), id_of(rows.bytes(1)), id_of(rows.bytes(2))});
    return found;
}

// Whether the task on which it hangs is not there. What waits for a later task of that id stays.
bool ledger::is_stray(const edge& one) {
    if (sql_.find(ns(), one.of.view()).next()) return false;
    const auto record = one.kind == 'c' ? waiting_of(one.other) : std::nullopt;
    // A cancelled one may be taken back, and waits then for what it never heard of.
    return !record || (record->phase == 'f' && !has_link('n', one.other, one.of));
}

void ledger::drop_stray(const edge& one) {
    drop_link(one.kind, one.of, one.other);
    if (one.kind == 'n' || one.kind == 'f') drop_link('c', one.other, one.of);
}

// A page of all edges; the next call goes on behind it.
void ledger::sweep_edges() {
    if (!any_edges()) return;
    const auto page = edges_after(swept_edge_, most_edges);
    for (const auto& one : page) {
        if (is_stray(one)) drop_stray(one);
    }
    swept_edge_ = page.size() == most_edges ? page.back().cursor() : std::string{};
}

void ledger::announce(const task_id& id, tidings what, std::int64_t at) {
    const char letter = static_cast<char>(what);
    sql_.announce.run(ns(), id.view(), text{{&letter, 1}}, at);
    if (at > now_) return;
    if (auto* one = idle_.take_resolver(ns())) notices_.push_back({one, notice::kind::news, {}});
}

bool ledger::any_news(const task_id& id, tidings what) {
    const char letter = static_cast<char>(what);
    return sql_.find_news(ns(), id.view(), text{{&letter, 1}}).next();
}

void ledger::drop_news(const task_id& id, tidings what) {
    const char letter = static_cast<char>(what);
    sql_.drop_news.run(ns(), id.view(), text{{&letter, 1}});
}

// What has been overtaken needs no telling. A success is told although its id was started anew since.
bool ledger::still_true(const task_id& id, tidings what) {
    if (what == tidings::check || what == tidings::overdue || what == tidings::success ||
        what == tidings::untied) {
        return true;
    }
    const auto row = row_of(id);
    if (!row) return what != tidings::revived;
    const bool failed = row->ended() && row->where() != state::success;
    return failed == (what != tidings::revived);
}

}  // namespace errand::sqlite
