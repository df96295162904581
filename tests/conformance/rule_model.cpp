#include "conformance/rule_model.hpp"

#include <algorithm>

namespace errand::rule_model {
namespace {

constexpr std::size_t steps_of_a_call = 1000;
constexpr duration kept{std::chrono::hours{1}};

}  // namespace

bool model::has(link kind, const task_id& of, const task_id& other) const {
    const auto all = edges.find(kind);
    return all != edges.end() && all->second.contains({of, other});
}

std::vector<task_id> model::others(link kind, const task_id& of) const {
    std::vector<task_id> found;
    const auto all = edges.find(kind);
    if (all == edges.end()) return found;
    for (const auto& [from, other] : all->second) {
        if (from == of) found.push_back(other);
    }
    return found;
}

std::optional<state> model::where(const task_id& id) const {
    const auto at = tasks.find(id);
    return at == tasks.end() ? std::nullopt : std::optional{at->second.where};
}

bool model::holds(const task_id& about, tidings what) const {
    return still_true(what, [&] { return where(about); });
}

// ---- submit --------------------------------------------------------------------------------------------------------

// Whatever has ended did so at 0, and it is 1 ms later.
submit_verdict model::judge_held(const submission_item& item) const {
    const auto at = tasks.find(item.id);
    if (at == tasks.end()) return submit_verdict::accepted;
    const auto record = waiting.find(item.id);
    const id_holder held{.where = at->second.where,
                         .registering =
                             record != waiting.end() && record->second.phase == waiting_phase::registering,
                         .started = at->second.started,
                         .unique_for = at->second.unique_for,
                         .retention = kept};
    return judge(held, item.conflict, time_point{duration{1}},
                 [&] { return news.contains({item.id, tidings::success}); });
}

void model::weigh_parents(draft& one, const std::set<task_id>& written) const {
    one.unmet.clear(), one.failed.clear(), one.met.clear();
    for (const auto& parent : one.item->after) {
        const bool begins = written.contains(parent.id);
        const auto at = begins ? std::nullopt : where(parent.id);
        switch (stand(one.item->rule, at, parent.accepted && !begins)) {
        case parent_standing::unmet: one.unmet.push_back(parent.id); break;
        case parent_standing::met: one.met.push_back(parent.id); break;
        case parent_standing::failed: one.failed.push_back(parent.id); break;
        case parent_standing::gone:
            if (!one.gone) one.gone = parent.id;
        }
    }
}

void model::weigh(std::vector<draft>& all) const {
    added_tasks added;
    std::set<task_id> written;
    for (const auto& one : all) {
        if (!is_written(one.how)) continue;
        written.insert(one.item->id);
        std::vector<task_id> parents;
        for (const auto& parent : one.item->after) parents.push_back(parent.id);
        if (one.item->waits()) added.add(one.item->id, std::move(parents));
    }
    const auto cycles = added.cycles();
    std::size_t steps = steps_of_a_call;
    for (auto& one : all) {
        const auto& item = *one.item;
        if (!is_written(one.how) || !item.waits()) continue;
        weigh_parents(one, written);
        cycle_answer found;
        const auto own = cycles.find(item.id);
        if (!waits_for_others(item.rule, !one.unmet.empty(), !one.failed.empty())) {
        } else if (own != cycles.end()) {
            found.cycle = own->second;
        } else if (!others(link::tells, item.id).empty()) {
            found = find_cycle(item.id, steps, [&](const task_id& id, std::size_t) {
                if (const auto* with_it = added.parents_of(id)) return *with_it;
                if (!waiting.contains(id)) return std::vector<task_id>{};
                auto parents = others(link::needs, id);
                const auto failed = others(link::failed, id);
                parents.insert(parents.end(), failed.begin(), failed.end());
                return parents;
            });
        }
        one.how = judge_waiting(one.how, one.gone.has_value(), !found.cycle.empty(), found.gave_up);
        if (one.how == submit_verdict::gone) one.others = {*one.gone};
        if (one.how == submit_verdict::cycle) one.others = found.cycle;
    }
    // What was refused begins no new life.
    for (std::size_t before = 0; before != written.size();) {
        before = written.size();
        for (const auto& one : all) {
            if (!is_written(one.how)) written.erase(one.item->id);
        }
        for (auto& one : all) {
            if (!is_written(one.how) || !one.item->waits()) continue;
            weigh_parents(one, written);
            if (!one.gone) continue;
            one.how = submit_verdict::gone;
            one.others = {*one.gone};
        }
    }
}

std::vector<submit_answer> model::submit(std::span<const submission_item> items, submit_mode mode) {
    std::vector<draft> all;
    for (const auto& item : items) all.push_back({&item, judge_held(item)});
    weigh(all);
    const bool refused = std::ranges::any_of(all, [](const draft& one) { return is_refused(one.how); });
    const bool withheld = refused && mode != submit_mode::each;
    std::vector<submit_answer> answers;
    for (const auto& one : all) {
        const auto before = tasks.contains(one.item->id) ? tasks.at(one.item->id).life : 0;
        if (!one.others.empty()) {
            answers.push_back({one.how, 0, one.others});
        } else if (is_written(one.how) && withheld) {
            answers.push_back({submit_verdict::withheld, 0});
        } else {
            const bool begins = one.how == submit_verdict::accepted;
            answers.push_back({one.how, begins ? incarnation_of(one.item->body) : before});
        }
    }
    for (const auto& one : all) {
        if (!withheld && mode != submit_mode::ask && is_written(one.how)) write(one);
    }
    return answers;
}

void model::forget_parents(const task_id& id) {
    waiting.erase(id);
    for (const auto kind : {link::needs, link::failed}) {
        for (const auto& parent : others(kind, id)) {
            edges[kind].erase({id, parent});
            edges[link::tells].erase({parent, id});
        }
    }
}

void model::write(const draft& one) {
    const auto& item = *one.item;
    const auto id = item.id;
    auto& task = tasks[id];
    forget_parents(id);
    if (one.how != submit_verdict::replaced) task = {.life = incarnation_of(item.body)};
    for (const auto& parent : one.unmet) {
        add(link::needs, id, parent);
        add(link::tells, parent, id);
    }
    for (const auto& parent : one.failed) {
        add(link::failed, id, parent);
        add(link::tells, parent, id);
    }
    for (const auto& parent : one.met) add(link::served, parent, id);
    const bool later = item.delay.has_value();
    const auto step = item.waits() ? first_step_of(item.rule, !one.unmet.empty(), !one.failed.empty())
                                   : first_step::free_to_run;
    if (step == first_step::free_to_run) {
        task.where = later ? state::delayed : state::ready;
        return;
    }
    task.where = state::waiting;
    waiting[id] = {waiting_phase::waits, item.rule, later};
    if (step == first_step::wait_and_check) news.emplace(id, tidings::check);
}

// ---- ends ----------------------------------------------------------------------------------------------------------

void model::end(const task_id& id, state as, duration unique_for) {
    auto& task = tasks.at(id);
    task.where = as;
    task.unique_for = unique_for;
    if (others(link::tells, id).empty()) return;
    switch (as) {
    case state::success: news.emplace(id, tidings::success); break;
    case state::dead: news.emplace(id, tidings::dead); break;
    case state::expired: news.emplace(id, tidings::expired); break;
    default: news.emplace(id, tidings::cancelled);
    }
}

void model::cancel(const task_id& id) {
    if (is_end(tasks.at(id).where)) return;
    waiting.erase(id);
    end(id, state::cancelled);
}

bool model::revive(const task_id& id) {
    auto& task = tasks.at(id);
    if (!is_end(task.where) || task.where == state::success) return false;
    const auto record = waiting.find(id);
    if (record != waiting.end() && record->second.rule == on_failed::gather) return false;
    waiting.erase(id);
    task.where = state::ready;
    task.started = true;
    if (!others(link::tells, id).empty()) news.emplace(id, tidings::revived);
    return true;
}

// ---- news ----------------------------------------------------------------------------------------------------------

std::vector<task_id> model::resolve(const resolution& one) {
    std::vector<task_id> again;
    const bool overtaken = !holds(one.parent, one.what);
    for (const auto& child : one.children) {
        const auto record = waiting.find(child);
        if (record == waiting.end()) continue;
        if (overtaken) {
            again.push_back(child);
            continue;
        }
        const auto heard = hear(one.what, record->second.rule,
                                {.needs = has(link::needs, child, one.parent),
                                 .failed = has(link::failed, child, one.parent)});
        edges[link::needs].erase({child, one.parent});
        edges[link::failed].erase({child, one.parent});
        if (heard.after.needs) add(link::needs, child, one.parent);
        if (heard.after.failed) add(link::failed, child, one.parent);
        if (heard.again) again.push_back(child);
        carry_out(child, one);
    }
    return again;
}

void model::carry_out(const task_id& id, const resolution& why) {
    auto& record = waiting.at(id);
    const auto found =
        settle(record.phase, record.rule, [&](link kind) { return !others(kind, id).empty(); });
    if (found.taken_up) {
        record.phase = waiting_phase::waits;
        tasks.at(id).where = state::waiting;
        if (!others(link::tells, id).empty()) news.emplace(id, tidings::revived);
    }
    const bool later = record.later;
    switch (found.then) {
    case settlement::none: return;
    case settlement::release:
        waiting.erase(id);
        tasks.at(id).where = later ? state::delayed : state::ready;
        return;
    case settlement::forsake:
        if (why.cancelled.empty()) {
            news.emplace(id, tidings::check);
            return;
        }
        record.phase = waiting_phase::forsaken;
        return end(id, state::cancelled);
    case settlement::gather: waiting.erase(id); return end(id, state::success);
    }
}

void model::delivered(const delivery& one) {
    for (const auto& child : one.done) {
        edges[link::tells].erase({one.about, child});
        if (tasks.contains(one.about)) add(link::served, one.about, child);
    }
    news.erase({one.about, one.what});
}

}  // namespace errand::rule_model
