// submit, of items that depend on tasks or are to be accepted all or none: everything is decided before the first write.
#include "core/bytes.hpp"
#include "store/distinct_batch.hpp"
#include "store/rule_letter.hpp"
#include "store/sqlite/ledger.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// Larger searches for a cycle are made from outside, page by page.
constexpr std::size_t most_steps = 1000;
// A task whose submission is not complete is given up after so long without a sign of its submitter, ms.
constexpr std::int64_t patience = 15'000;

using parents_by_child = std::unordered_map<task_id, std::vector<task_id>>;

// One call does not complete it.
bool is_partial(const submission_item& item) {
    return item.waits() && (item.incomplete || item.after.size() > store::parents_per_call);
}

std::span<const parent_task> first_parents(const submission_item& item) {
    const std::span all{item.after};
    return all.first(std::min(all.size(), store::parents_per_call));
}

}  // namespace

// An item on its way to a decision.
struct ledger::draft {
    const submission_item* item = nullptr;
    std::optional<task_row> held{};
    submit_verdict how = submit_verdict::accepted;
    std::vector<task_id> others{};
    weight parents{};
    bool registering = false;
    bool recalled = false;  // it has come before

    bool writes() const {
        return how == submit_verdict::accepted || how == submit_verdict::replaced ||
               how == submit_verdict::registering;
    }
    bool refused() const { return !writes() && how != submit_verdict::duplicate; }
};

namespace {

// Cycles among the tasks of one call: id -> the ids on its cycle. Depth first: `way` leads from a task to what it waits
// for.
class cycle_search {
public:
    explicit cycle_search(const parents_by_child& batch) : batch_{batch} {
        for (const auto& [start, parents] : batch_) {
            if (!done_.contains(start)) follow(start);
        }
    }

    parents_by_child found;

private:
    struct step {
        task_id id;
        std::size_t next = 0;
    };

    void follow(const task_id& start) {
        push(start);
        while (!way_.empty()) {
            auto& top = way_.back();
            const auto& parents = batch_.at(top.id);
            if (top.next == parents.size()) {
                place_.erase(top.id);
                done_.insert(top.id);
                way_.pop_back();
                continue;
            }
            const auto parent = parents[top.next++];
            if (const auto on_way = place_.find(parent); on_way != place_.end()) {
                note_cycle(on_way->second);
            } else if (batch_.contains(parent) && !done_.contains(parent)) {
                push(parent);
            }
        }
    }

    void push(const task_id& id) {
        place_[id] = way_.size();
        way_.push_back({id});
    }

    void note_cycle(std::size_t from) {
        std::vector<task_id> ids;
        for (std::size_t at = from; at < way_.size(); ++at) ids.push_back(way_[at].id);
        for (const auto& id : ids) found[id] = ids;
    }

    const parents_by_child& batch_;
    std::vector<step> way_;
    std::unordered_map<task_id, std::size_t> place_;
    std::unordered_set<task_id> done_;
};

}  // namespace

// Reads only. Those in `written` are about to begin a new life.
ledger::weight ledger::weigh(on_failed rule, std::span<const parent_task> parents,
                             const std::unordered_set<task_id>& written) {
    weight found;
    for (const auto& one : parents) {
        const bool begins = one.where == parent_task::location::later || written.contains(one.id);
        const auto row = begins ? std::nullopt : row_of(one.id);
        if (!begins && !row && one.accepted && !found.gone) found.gone = one.id;
        if (!row || !row->ended()) {
            found.unmet.push_back(one.id);
        } else if (rule == on_failed::run || row->where() == state::success) {
            found.met.push_back(one.id);
        } else {
            found.failed.push_back(one.id);
        }
    }
    return found;
}

void ledger::tie(const task_id& id, const weight& of) {
    for (const auto& parent : of.unmet) {
        add_link('n', id, parent);
        add_link('c', parent, id);
    }
    for (const auto& parent : of.failed) {
        add_link('f', id, parent);
        add_link('c', parent, id);
    }
    for (const auto& parent : of.met) add_link('s', parent, id);
}

// Looks for a way from a task through what it waits for back to itself. `batch`: parents of tasks that this call is about
// to add. Gives up after `budget` steps.
std::optional<std::vector<task_id>> ledger::find_cycle(const task_id& id, const parents_by_child& batch,
                                                       std::size_t& budget, bool& gave_up) {
    std::vector<task_id> open{id};
    std::unordered_map<task_id, task_id> from;
    while (!open.empty()) {
        const auto at = open.back();
        open.pop_back();
        std::vector<task_id> parents;
        if (const auto known = batch.find(at); known != batch.end()) {
            parents = known->second;
        } else if (waiting_of(at)) {
            // Failed ones count: a task may wait for their return, and they for what it would bring about.
            for (const char kind : {'n', 'f'}) {
                const auto found = links_of(kind, at, budget + 1);
                parents.insert(parents.end(), found.begin(), found.end());
            }
        }
        if (budget < 1 + parents.size()) {
            budget = 0;
            gave_up = true;
            return std::nullopt;
        }
        budget -= 1 + parents.size();
        for (const auto& parent : parents) {
            if (parent == id) {
                std::vector<task_id> way{at};
                while (way.front() != id) way.insert(way.begin(), from.at(way.front()));
                return way;
            }
            if (from.emplace(parent, at).second) open.push_back(parent);
        }
    }
    return std::nullopt;
}

// Decides about those that depend on others. Whether any was refused.
bool ledger::weigh_all(std::vector<draft>& all) {
    parents_by_child batch;
    std::unordered_set<task_id> written;
    for (const auto& one : all) {
        if (!one.writes()) continue;
        written.insert(one.item->id);
        if (!one.item->waits()) continue;
        auto& parents = batch[one.item->id];
        for (const auto& parent : first_parents(*one.item)) parents.push_back(parent.id);
    }
    const cycle_search cycles{batch};
    std::size_t steps = most_steps;
    bool refused = false;
    for (auto& one : all) {
        if (!one.writes() || !one.item->waits()) continue;
        const auto& id = one.item->id;
        one.parents = weigh(one.item->rule, first_parents(*one.item), written);
        bool far = is_partial(*one.item);
        if (one.parents.gone) {
            one.how = submit_verdict::gone;
            one.others = {*one.parents.gone};
            refused = true;
            continue;
        }
        const bool waits =
            !one.parents.unmet.empty() || (!one.parents.failed.empty() && one.item->rule == on_failed::wait);
        std::optional<std::vector<task_id>> cycle;
        if (const auto found = cycles.found.find(id); waits && found != cycles.found.end())
            cycle = found->second;
        // Only who is waited for by a task in store can close a cycle with it.
        if (waits && !cycle && !far && any_link('c', id)) cycle = find_cycle(id, batch, steps, far);
        if (cycle) {
            one.how = submit_verdict::cycle;
            one.others = std::move(*cycle);
            refused = true;
        } else if (far && one.how == submit_verdict::replaced) {
            // Taking that back would take the task back that was accepted before.
            one.how = submit_verdict::rejected;
            refused = true;
        } else if (far) {
            one.registering = true;
        }
    }
    return refused;
}

std::vector<submit_answer> ledger::submit_together(std::span<const submission_item> items, submit_mode mode) {
    const distinct_batch batch{items};
    const bool all_or_none = mode != submit_mode::each;
    if (all_or_none) {
        if (auto refused = batch.own_refusal(items)) return std::move(*refused);
    }
    std::vector<draft> all;
    bool refused = false;
    for (const auto* item : batch.sent()) {
        draft one{.item = item, .held = row_of(item->id)};
        one.recalled = recalls(*item);
        if (one.recalled) {
            one.how = submit_verdict::duplicate;
        } else if (one.held) {
            one.how = judge(item->id, *one.held, item->conflict);
        }
        refused = refused || one.refused();
        all.push_back(std::move(one));
    }
    if (weigh_all(all)) refused = true;
    const bool withheld = refused && all_or_none;
    std::vector<submit_answer> answers;
    for (auto& one : all) answers.push_back(answer_of(one, withheld));
    if (!withheld && mode != submit_mode::ask) {
        for (auto& one : all) {
            if (one.writes()) write(one);
            remember(*one.item, one.how);
        }
    }
    return batch.answers(items, answers);
}

submit_answer ledger::answer_of(draft& one, bool withheld) {
    if (one.recalled) return {one.how, incarnation_of(one.item->body)};
    const auto before = one.held ? one.held->life : 0;
    if (!one.others.empty()) return {one.how, 0, std::move(one.others)};
    // Of a batch that was refused whole only what refused it matters.
    if (one.writes() && withheld) return {submit_verdict::withheld, 0};
    if (one.how == submit_verdict::replaced) {
        return {one.registering ? submit_verdict::registering : one.how, before};
    }
    if (one.writes()) {
        return {one.registering ? submit_verdict::registering : one.how, incarnation_of(one.item->body)};
    }
    return {one.how, before};
}

void ledger::write(draft& one) {
    const auto& item = *one.item;
    if (item.waits() || one.held) forget_waiting(item.id);
    const auto [to, at] = item.waits() ? enlist(one) : target_of(item);
    if (one.held) {
        write_over(item, *one.held, one.how, to, at);
    } else if (!insert(item, *to, at)) {
        throw failure{11, "a task is there that was not there before"};
    }
}

// Writes what the item waits for, and says where it stands then: with those that wait, or free to run when that is nothing.
std::pair<list_row*, std::int64_t> ledger::enlist(draft& one) {
    const auto& item = *one.item;
    const auto& parents = one.parents;
    tie(item.id, parents);
    const bool unmet = !parents.unmet.empty(), failed = !parents.failed.empty();
    if (!one.registering && !unmet && !failed && item.rule != on_failed::gather) return target_of(item);
    keep_waiting(item.id, {one.registering ? 'r' : 'w', letter_of(item.rule), due_of(item).value_or(0)});
    if (one.registering) {
        announce(item.id, tidings::overdue, now_ + patience);
    } else if (failed || !unmet) {
        announce(item.id, tidings::check);
    }
    return {&cache_->list(cache_->queue(item.queue), kind_of(state::waiting)), now_};
}

}  // namespace errand::sqlite
