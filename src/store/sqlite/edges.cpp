#include "store/sqlite/edges.hpp"

namespace errand::sqlite {
namespace {

// Of one task and kind, in one call.
constexpr std::size_t most_edges = 500;

task_id id_in(std::string_view bytes) {
    if (const auto id = task_id::from_bytes(bytes)) return *id;
    throw_damaged("an id is not 16 bytes");
}

// A letter as SQLite takes it; the value must outlive the call.
template <class Letter>
text text_of(const Letter& letter) {
    return {{reinterpret_cast<const char*>(&letter), 1}};
}

}  // namespace

std::string edge::cursor() const {
    return std::string(1, static_cast<char>(kind)) + std::string{of.view()} + std::string{other.view()};
}

bool edges::any() {
    if (!tx_.any.links) tx_.any.links = sql_.any_link().next();
    return *tx_.any.links;
}

bool edges::any_of(link kind, const task_id& of) {
    return any() && sql_.any_link_of(tx_.ns(), text_of(kind), of.view()).next();
}

std::vector<task_id> edges::page(link kind, const task_id& of, std::size_t limit,
                                 const std::optional<task_id>& after) {
    std::vector<task_id> found;
    if (!any()) return found;
    const auto from = after ? after->view() : std::string_view{};
    for (auto rows = sql_.page_of_links(tx_.ns(), text_of(kind), of.view(), from, limit); rows.next();)
        found.push_back(id_in(rows.bytes(0)));
    return found;
}

std::size_t edges::count(link kind, const task_id& of) {
    auto rows = sql_.count_links(tx_.ns(), text_of(kind), of.view());
    return rows.next() ? static_cast<std::size_t>(rows.number(0)) : 0;
}

bool edges::has(link kind, const task_id& of, const task_id& other) {
    return any() && sql_.has_link(tx_.ns(), text_of(kind), of.view(), other.view()).next();
}

void edges::add(link kind, const task_id& of, const task_id& other) {
    tx_.any.links = true;
    sql_.add_link.run(tx_.ns(), text_of(kind), of.view(), other.view());
}

bool edges::drop(link kind, const task_id& of, const task_id& other) {
    if (!any()) return false;
    sql_.drop_link.run(tx_.ns(), text_of(kind), of.view(), other.view());
    return tx_.in.changed();
}

void edges::change(link kind, const task_id& of, const task_id& other, bool before, bool after) {
    if (before == after) return;
    if (after) {
        add(kind, of, other);
    } else {
        drop(kind, of, other);
    }
}

std::optional<waiting_row> edges::waiting_of(const task_id& id) {
    auto rows = sql_.waiting(tx_.ns(), id.view());
    if (!rows.next()) return std::nullopt;
    return waiting_row{static_cast<waiting_phase>(rows.bytes(0).front()), rule_of(rows.bytes(1).front()),
                       rows.number(2)};
}

void edges::keep_waiting(const task_id& id, const waiting_row& row) {
    const char rule = letter_of(row.rule);
    sql_.wait.run(tx_.ns(), id.view(), text_of(row.phase), text_of(rule), row.due);
}

void edges::forget_record(const task_id& id) { sql_.forget_waiting.run(tx_.ns(), id.view()); }

void edges::leave_waiting(const task_id& id) {
    if (const auto carrier = carrier_of(id)) {
        drop(link::needs, id, *carrier);
        drop(link::tells, *carrier, id);
    }
    forget_record(id);
}

std::optional<task_id> edges::carrier_of(const task_id& id) {
    const auto record = waiting_of(id);
    if (!record || record->rule != on_failed::bundle) return std::nullopt;
    for (const auto& parent : page(link::needs, id, most_edges)) {
        if (is_carrier(parent)) return parent;
    }
    return std::nullopt;
}

bool edges::bundle_started(const task_id& id) {
    const auto carrier = carrier_of(id);
    const auto row = carrier ? rows_.find(*carrier) : std::nullopt;
    // Of one that has ended, or is gone, its items have yet to hear.
    return carrier && (!row || row->ended() || row->started());
}

void edges::forget_waiting(const task_id& id) {
    forget_record(id);
    while (!forget_some(id)) {
    }
}

// Without counting all of them.
bool edges::is_tangled(const task_id& id) {
    const auto needed = page(link::needs, id, most_edges + 1).size();
    return needed + page(link::failed, id, most_edges + 1).size() > most_edges;
}

bool edges::forget_some(const task_id& id) { return forget_parents(id, most_edges); }

// What a task waited for, with its place in the lists of those that it waited for; at most `limit` of each kind. False when
// some may be left.
bool edges::forget_parents(const task_id& id, std::size_t limit) {
    bool all = true;
    for (const auto kind : {link::needs, link::failed}) {
        const auto parents = page(kind, id, limit);
        for (const auto& parent : parents) {
            drop(kind, id, parent);
            drop(link::tells, parent, id);
        }
        all = all && parents.size() < limit;
    }
    return all;
}

bool edges::untie(const task_id& id) {
    if (!any()) return true;
    const bool all = forget_parents(id, most_edges);
    const auto served = page(link::served, id, most_edges);
    for (const auto& child : served) drop(link::served, id, child);
    const auto told = page(link::tells, id, most_edges);
    std::size_t gone = 0;
    for (const auto& child : told) {
        const auto record = waiting_of(child);
        if (record && record->phase != waiting_phase::forsaken) continue;
        drop(link::tells, id, child);
        ++gone;
    }
    return all && served.size() < most_edges && !(told.size() == most_edges && gone > 0);
}

weighed_parents edges::weigh(on_failed rule, std::span<const parent_task> parents,
                             const std::unordered_set<task_id>& written) {
    weighed_parents found;
    for (const auto& one : parents) {
        const bool begins = one.where == parent_task::location::later || written.contains(one.id);
        const auto row = begins ? std::nullopt : rows_.find(one.id);
        const auto where = row ? std::optional{row->where()} : std::nullopt;
        switch (stand(rule, where, one.accepted && !begins)) {
        case parent_standing::unmet: found.unmet.push_back(one.id); break;
        case parent_standing::met: found.met.push_back(one.id); break;
        case parent_standing::failed: found.failed.push_back(one.id); break;
        case parent_standing::gone:
            if (!found.gone) found.gone = one.id;
            break;
        }
    }
    return found;
}

void edges::tie(const task_id& id, const weighed_parents& of) {
    for (const auto& parent : of.unmet) {
        add(link::needs, id, parent);
        add(link::tells, parent, id);
    }
    for (const auto& parent : of.failed) {
        add(link::failed, id, parent);
        add(link::tells, parent, id);
    }
    for (const auto& parent : of.met) add(link::served, parent, id);
}

void edges::announce(const task_id& id, tidings what, std::int64_t at) {
    announce(id, what, at, std::nullopt);
}

void edges::announce_run(const task_id& id, const task_id& schedule) {
    announce(id, tidings::ran, tx_.now(), schedule.view());
}

void edges::announce(const task_id& id, tidings what, std::int64_t at,
                     std::optional<std::string_view> schedule) {
    sql_.announce.run(tx_.ns(), id.view(), text_of(what), at, schedule);
    if (at > tx_.now()) return;
    if (auto* one = tx_.idle.take_resolver(tx_.ns()))
        tx_.notify(*one, notice::kind::news);
    else
        tx_.concerns_others();
}

bool edges::any_news(const task_id& id, tidings what) {
    return sql_.find_news(tx_.ns(), id.view(), text_of(what)).next();
}

bool edges::is_untold(const task_id& id, state end) {
    if (!is_carrier(id)) return false;
    switch (end) {
    case state::success: return any_news(id, tidings::success);
    case state::dead: return any_news(id, tidings::dead);
    case state::expired: return any_news(id, tidings::expired);
    default: return any_news(id, tidings::cancelled);
    }
}

void edges::drop_news(const task_id& id, tidings what) {
    sql_.drop_news.run(tx_.ns(), id.view(), text_of(what));
}

bool edges::still_true(const task_id& id, tidings what) {
    return errand::still_true(what, [&] {
        const auto row = rows_.find(id);
        return row ? std::optional{row->where()} : std::nullopt;
    });
}

std::vector<edge> edges::page_after(std::string_view cursor, std::size_t limit) {
    std::vector<edge> found;
    const auto part = [&](std::size_t from) { return cursor.empty() ? cursor : cursor.substr(from, 16); };
    for (auto rows = sql_.audit_links(tx_.ns(), text{cursor.substr(0, 1)}, part(1), part(17), limit);
         rows.next();)
        found.push_back({static_cast<link>(rows.bytes(0).front()), id_in(rows.bytes(1)),
                         id_in(rows.bytes(2))});
    return found;
}

bool edges::is_stray(const edge& one) {
    if (sql_.find(tx_.ns(), one.of.view()).next()) return false;
    const auto record = one.kind == link::tells ? waiting_of(one.other) : std::nullopt;
    // A cancelled one may be taken back, and waits then for what it never heard of.
    return !record || (record->phase == waiting_phase::forsaken && !has(link::needs, one.other, one.of));
}

void edges::drop_stray(const edge& one) {
    drop(one.kind, one.of, one.other);
    if (one.kind == link::needs || one.kind == link::failed) drop(link::tells, one.other, one.of);
}

void edges::sweep() {
    if (!any()) return;
    const auto page = page_after(swept_, most_edges);
    for (const auto& one : page) {
        if (is_stray(one)) drop_stray(one);
    }
    swept_ = page.size() == most_edges ? page.back().cursor() : std::string{};
}

}  // namespace errand::sqlite
