#include "store/sqlite/audit.hpp"

#include "core/digits.hpp"
#include "store/sqlite/seen_task.hpp"

namespace errand::sqlite {
namespace {

constexpr std::size_t audited_per_step = 500;
// A worker may be about to take what it just claimed: only what ran out before that is damage, ms.
constexpr std::int64_t long_over = 60'000;

}  // namespace

audit_step audit::tasks(std::string& after, bool mend) {
    std::vector<seen_task> all;
    for (auto rows = sql_.audit_tasks(tx_.ns(), std::string_view{after}, audited_per_step); rows.next();) {
        const auto outcome = rows.bytes(4);
        all.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                       .list = tx_.cache().find_list_of(rows.number(1)),
                       .claim = static_cast<claim_number>(rows.number(3)),
                       .placed = !rows.is_null(2),
                       .claimed = !rows.is_null(3),
                       .end = outcome.empty() ? '-' : outcome.front(),
                       .has_body = rows.number(5) == 0,
                       .has_lease = rows.number(6) == 0,
                       .waits = rows.number(7) != 0});
    }
    audit_step out;
    out.looked_at = all.size();
    for (auto& one : all) {
        if (one.list && one.list->aside() && one.has_body) one.astray = aside_.is_astray(one.id, *one.list);
        const auto words = one.judge();
        if (one.what == seen_task::damage::none) continue;
        add_finding(out, std::string{seen_task::kind_of(one.what)}, one.id.view(), std::string{words}, mend);
        if (mend) repair(one);
    }
    after = all.size() == audited_per_step ? std::string{all.back().id.view()} : std::string{};
    return out;
}

audit_step audit::claims(std::string& after, bool mend) {
    struct seen {
        claim_number number;
        std::string tasks;
    };
    std::vector<seen> all;
    for (auto rows = sql_.audit_claims(tx_.ns(), number_in(after), tx_.now() - long_over, audited_per_step);
         rows.next();)
        all.push_back({static_cast<claim_number>(rows.number(0)), std::string{rows.bytes(1)}});
    audit_step out;
    out.looked_at = all.size();
    for (const auto& one : all) {
        bool holds_any = false;
        for (std::string_view ids{one.tasks}; ids.size() >= 16 && !holds_any; ids.remove_prefix(16))
            holds_any = rows_.holds(*task_id::from_bytes(ids.substr(0, 16)), one.number);
        if (holds_any) continue;
        add_finding(out, "idle_lease", std::to_string(one.number), "a lease that holds no task", mend);
        if (!mend) continue;
        sql_.close_claim.run(tx_.ns(), one.number);
        gates_.free_all(one.number);
    }
    after = all.size() == audited_per_step ? std::to_string(all.back().number) : std::string{};
    return out;
}

audit_step audit::waiting(std::string& after, bool mend) {
    std::vector<task_id> all;
    for (auto rows = sql_.audit_waiting(tx_.ns(), std::string_view{after}, audited_per_step); rows.next();)
        all.push_back(*task_id::from_bytes(rows.bytes(0)));
    audit_step out;
    out.looked_at = all.size();
    for (const auto& id : all) {
        if (is_unlisted(id)) continue;  // which was found already
        const auto row = rows_.find(id);
        if (!row) {
            add_finding(out, "no_body", id.view(), "it waits, but there is no such task", mend);
            if (mend) edges_.forget_record(id);
        } else if (edges_.waiting_of(id)->phase == waiting_phase::waits) {
            look_at_needs(id, out, mend);
        }
    }
    after = all.size() == audited_per_step ? std::string{all.back().view()} : std::string{};
    return out;
}

// What a waiting task waits for: news that somebody will bring.
void audit::look_at_needs(const task_id& id, audit_step& out, bool mend) {
    const auto needs = edges_.page(link::needs, id, 100);
    if (needs.empty() && !edges_.any_of(link::failed, id) && !edges_.any_news(id, tidings::check)) {
        add_finding(out, "stuck", id.view(), "it waits for nothing, and nobody will look at it", mend);
        if (mend) edges_.announce(id, tidings::check);
    }
    for (const auto& parent : needs) {
        if (is_unlisted(parent)) continue;
        const auto row = rows_.find(parent);
        // A carrier never comes again. What its run did is not known any more: its items are collected anew.
        if (!row && is_carrier(parent)) {
            const auto tells = [&](tidings what) { return edges_.any_news(parent, what); };
            if (tells(tidings::success) || tells(tidings::dead) || tells(tidings::cancelled) ||
                tells(tidings::expired))
                continue;
            add_finding(out, "stuck", id.view(), "the run of its bundle is gone, and nobody will tell it",
                        mend);
            if (!mend) continue;
            edges_.add(link::tells, parent, id);
            edges_.announce(parent, tidings::success);
            continue;
        }
        const auto how = row && row->ended() ? static_cast<tidings>(row->outcome.front()) : tidings::check;
        const bool told = how == tidings::check || edges_.any_news(parent, how);
        if (told && (how != tidings::check || edges_.has(link::tells, parent, id))) continue;
        add_finding(out, "stuck", id.view(),
                    told ? "what it waits for does not know of it"
                         : "what it waits for has ended, and nobody will tell it",
                    mend);
        if (!mend) continue;
        edges_.add(link::tells, parent, id);
        if (!told) edges_.announce(parent, how);
    }
}

audit_step audit::stages(std::string& after, bool mend) {
    std::vector<task_id> all;
    for (auto rows = sql_.audit_stages(tx_.ns(), std::string_view{after}, audited_per_step); rows.next();)
        all.push_back(*task_id::from_bytes(rows.bytes(0)));
    audit_step out;
    out.looked_at = all.size();
    for (const auto& id : all) {
        if (is_unlisted(id) || rows_.find(id)) continue;
        add_finding(out, "no_body", id.view(), "there are stages of it, but there is no such task", mend);
        if (mend) sql_.drop_stages.run(tx_.ns(), id.view());
    }
    after = all.size() == audited_per_step ? std::string{all.back().view()} : std::string{};
    return out;
}

// Edges of tasks that are not there. Nothing leaves any, but what deletes by hand or damages a store.
audit_step audit::links(std::string& after, bool mend) {
    const auto all = edges_.page_after(after, audited_per_step);
    audit_step out;
    out.looked_at = all.size();
    for (const auto& one : all) {
        if (!edges_.is_stray(one)) continue;
        add_finding(out, "stray_edge", one.of.view(), "an edge of it is there, but it is not", mend);
        if (mend) edges_.drop_stray(one);
    }
    after = all.size() == audited_per_step ? all.back().cursor() : std::string{};
    return out;
}

// One list a page; its cursor is the list's key. Working tasks stand in no index: their leases say which they are.
audit_step audit::counters(std::string& after, bool mend) {
    tx_.cache().write(tx_.micros());
    std::map<std::int64_t, list_row*> all;
    for (auto& [name, queue] : tx_.cache().queues()) {
        for (const auto& [key, list] : queue.lists) all[list->k] = list;
    }
    audit_step out;
    const auto* looked_at = next_row(all, after);
    if (!looked_at) return out;
    const auto& list = *looked_at;
    std::int64_t there = 0, counted = 0;
    {
        auto rows = sql_.audit_listed(list.k);
        rows.next();
        there = rows.number(0);
        counted = rows.number(1);
    }
    if (list.kind == kind_of(state::working)) there = count_working(list);
    out.looked_at = static_cast<std::size_t>(there);
    if (there == counted) return out;
    const auto words = std::to_string(counted) + " tasks counted, " + std::to_string(there) + " there";
    add_finding(out, "counter", list.queue->name, words, mend);
    if (mend) sql_.mend_size.run(list.k, there);
    return out;
}

bool audit::is_unlisted(const task_id& id) {
    auto rows = sql_.find(tx_.ns(), id.view());
    return rows.next() && !tx_.cache().find_list_of(rows.number(0));
}

std::int64_t audit::count_working(const list_row& list) {
    std::vector<std::pair<claim_number, std::string>> claims;
    for (auto rows = sql_.audit_claims(tx_.ns(), 0, INT64_MAX, INT64_MAX); rows.next();)
        claims.emplace_back(static_cast<claim_number>(rows.number(0)), std::string{rows.bytes(1)});
    std::int64_t there = 0;
    for (const auto& [number, tasks] : claims) {
        for (std::string_view ids{tasks}; ids.size() >= 16; ids.remove_prefix(16)) {
            auto rows = sql_.held(tx_.ns(), ids.substr(0, 16), number);
            if (rows.next() && rows.number(2) == list.k) ++there;
        }
    }
    return there;
}

}  // namespace errand::sqlite
