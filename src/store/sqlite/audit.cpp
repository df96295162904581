#include "store/sqlite/audit.hpp"

#include "core/digits.hpp"
#include "store/sqlite/edge.hpp"
#include "store/sqlite/seen_task.hpp"

#include <array>

namespace errand::sqlite {
namespace {

constexpr std::size_t audited_per_step = 500;
// A worker may be about to take what it just claimed: only what ran out before that is damage, ms.
constexpr std::int64_t long_over = 60'000;

class stepwise final : public auditor {
public:
    stepwise(engine_client& at, bool repair) : at_{at}, repair_{repair} {}

    awaitable<audit_step> next() override {
        const auto look = looks[step_];
        auto found = co_await at_.ask({.name = "audit", .reads = !repair_}, [&, this](ledger& in) {
            auto cursor = cursor_;  // the call may be made again
            auto got = (in.*look)(cursor, repair_);
            next_ = std::move(cursor);
            return got;
        });
        cursor_ = std::move(next_);
        if (cursor_.empty()) ++step_;
        found.more = step_ < looks.size();
        co_return found;
    }

private:
    using looker = audit_step (ledger::*)(std::string&, bool);
    static constexpr std::array<looker, 6> looks{&ledger::audit_tasks,   &ledger::audit_claims,
                                                 &ledger::audit_waiting, &ledger::audit_stages,
                                                 &ledger::audit_links,   &ledger::audit_counters};

    engine_client& at_;
    bool repair_;
    std::size_t step_ = 0;
    std::string cursor_;
    std::string next_;
};

void add(audit_step& to, std::string kind, std::string_view subject, std::string words, bool repaired) {
    to.findings.push_back({std::move(kind), std::string{subject}, std::move(words), repaired});
}

}  // namespace

std::unique_ptr<auditor> make_audit(engine_client& at, bool repair) {
    return std::make_unique<stepwise>(at, repair);
}

audit_step ledger::audit_tasks(std::string& after, bool repair) {
    std::vector<seen_task> all;
    for (auto rows = sql_.audit_tasks(ns(), std::string_view{after}, audited_per_step); rows.next();) {
        const auto outcome = rows.bytes(4);
        all.push_back({.id = *task_id::from_bytes(rows.bytes(0)),
                       .list = cache_->find_list_of(rows.number(1)),
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
        if (one.list && one.list->aside() && one.has_body) one.astray = is_astray(one.id, *one.list);
        const auto words = one.judge();
        if (one.what == seen_task::damage::none) continue;
        add(out, std::string{seen_task::kind_of(one.what)}, one.id.view(), std::string{words}, repair);
        if (repair) mend(one);
    }
    after = all.size() == audited_per_step ? std::string{all.back().id.view()} : std::string{};
    return out;
}

audit_step ledger::audit_claims(std::string& after, bool repair) {
    struct seen {
        claim_number number;
        std::string tasks;
    };
    std::vector<seen> all;
    for (auto rows = sql_.audit_claims(ns(), number_in(after), now_ - long_over, audited_per_step);
         rows.next();)
        all.push_back({static_cast<claim_number>(rows.number(0)), std::string{rows.bytes(1)}});
    audit_step out;
    out.looked_at = all.size();
    for (const auto& one : all) {
        bool holds_any = false;
        for (std::string_view ids{one.tasks}; ids.size() >= 16 && !holds_any; ids.remove_prefix(16))
            holds_any = holds(*task_id::from_bytes(ids.substr(0, 16)), one.number);
        if (holds_any) continue;
        add(out, "idle_lease", std::to_string(one.number), "a lease that holds no task", repair);
        if (repair) sql_.close_claim.run(ns(), one.number);
    }
    after = all.size() == audited_per_step ? std::to_string(all.back().number) : std::string{};
    return out;
}

audit_step ledger::audit_waiting(std::string& after, bool repair) {
    std::vector<task_id> all;
    for (auto rows = sql_.audit_waiting(ns(), std::string_view{after}, audited_per_step); rows.next();)
        all.push_back(*task_id::from_bytes(rows.bytes(0)));
    audit_step out;
    out.looked_at = all.size();
    for (const auto& id : all) {
        if (is_unlisted(id)) continue;  // which was found already
        const auto row = row_of(id);
        if (!row) {
            add(out, "no_body", id.view(), "it waits, but there is no such task", repair);
            if (repair) sql_.forget_waiting.run(ns(), id.view());
        } else if (waiting_of(id)->phase == 'w') {
            audit_needs(id, out, repair);
        }
    }
    after = all.size() == audited_per_step ? std::string{all.back().view()} : std::string{};
    return out;
}

// What a waiting task waits for: news that somebody will bring.
void ledger::audit_needs(const task_id& id, audit_step& out, bool repair) {
    const auto needs = links_of('n', id, 100);
    if (needs.empty() && !any_link('f', id) && !any_news(id, tidings::check)) {
        add(out, "stuck", id.view(), "it waits for nothing, and nobody will look at it", repair);
        if (repair) announce(id, tidings::check);
    }
    for (const auto& parent : needs) {
        if (is_unlisted(parent)) continue;
        const auto row = row_of(parent);
        const auto how = row && row->ended() ? static_cast<tidings>(row->outcome.front()) : tidings::check;
        const bool told = how == tidings::check || any_news(parent, how);
        if (told && (how != tidings::check || has_link('c', parent, id))) continue;
        add(out, "stuck", id.view(),
            told ? "what it waits for does not know of it"
                 : "what it waits for has ended, and nobody will tell it",
            repair);
        if (!repair) continue;
        add_link('c', parent, id);
        if (!told) announce(parent, how);
    }
}

audit_step ledger::audit_stages(std::string& after, bool repair) {
    std::vector<task_id> all;
    for (auto rows = sql_.audit_stages(ns(), std::string_view{after}, audited_per_step); rows.next();)
        all.push_back(*task_id::from_bytes(rows.bytes(0)));
    audit_step out;
    out.looked_at = all.size();
    for (const auto& id : all) {
        if (is_unlisted(id) || row_of(id)) continue;
        add(out, "no_body", id.view(), "there are stages of it, but there is no such task", repair);
        if (repair) sql_.drop_stages.run(ns(), id.view());
    }
    after = all.size() == audited_per_step ? std::string{all.back().view()} : std::string{};
    return out;
}

// Edges of tasks that are not there. Nothing leaves any, but what deletes by hand or damages a store.
audit_step ledger::audit_links(std::string& after, bool repair) {
    const auto all = edges_after(after, audited_per_step);
    audit_step out;
    out.looked_at = all.size();
    for (const auto& one : all) {
        if (!is_stray(one)) continue;
        add(out, "stray_edge", one.of.view(), "an edge of it is there, but it is not", repair);
        if (repair) drop_stray(one);
    }
    after = all.size() == audited_per_step ? all.back().cursor() : std::string{};
    return out;
}

// One list a page; its cursor is the list's key. Working tasks stand in no index: their leases say which they are.
audit_step ledger::audit_counters(std::string& after, bool repair) {
    cache_->write(micros_);
    std::map<std::int64_t, list_row*> all;
    for (auto& [name, queue] : cache_->queues()) {
        for (const auto& [key, list] : queue.lists) all[list->k] = list;
    }
    audit_step out;
    const auto next = all.upper_bound(number_in(after));
    if (next == all.end()) {
        after.clear();
        return out;
    }
    after = std::to_string(next->first);
    auto& list = *next->second;
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
    add(out, "counter", list.queue->name, words, repair);
    if (repair) sql_.mend_size.run(list.k, there);
    return out;
}

}  // namespace errand::sqlite
