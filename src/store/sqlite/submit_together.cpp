// submit, of items that depend on tasks or are to be accepted all or none: everything is decided before the first write.
#include "core/cycle_search.hpp"
#include "store/distinct_batch.hpp"
#include "store/sqlite/dependencies.hpp"
#include "store/sqlite/submissions.hpp"

#include <algorithm>

namespace errand::sqlite {
namespace {

// Larger searches for a cycle are made from outside, page by page.
constexpr std::size_t most_steps = 1000;

// One call does not complete it.
bool is_partial(const submission_item& item) {
    return item.waits() && (item.incomplete || item.after.size() > store::parents_per_call);
}

std::span<const parent_task> first_parents(const submission_item& item) {
    const std::span all{item.after};
    return all.first(std::min(all.size(), store::parents_per_call));
}

}  // namespace

struct submissions::draft {
    const submission_item* item = nullptr;
    std::optional<task_row> held{};
    submit_verdict how = submit_verdict::accepted;
    std::vector<task_id> others{};
    weighed_parents parents{};
    bool recalled = false;  // it has come before
};

// What a task in store waits for.
std::vector<task_id> submissions::parents_of(const task_id& id, std::size_t most) {
    std::vector<task_id> parents;
    if (!edges_.waiting_of(id)) return parents;
    // Failed ones count: a task may wait for their return, and they for what it would bring about.
    for (const auto kind : {link::needs, link::failed}) {
        const auto found = edges_.page(kind, id, most);
        parents.insert(parents.end(), found.begin(), found.end());
    }
    return parents;
}

// What waits for one that is not decided yet is not, either: that one's other life may begin.
bool submissions::put_off(std::vector<draft>& all) {
    std::unordered_set<task_id> busy;
    for (const auto& one : all) {
        if (one.how == submit_verdict::busy) busy.insert(one.item->id);
    }
    const auto is_busy = [&](const parent_task& parent) { return busy.contains(parent.id); };
    bool any = false;
    for (bool again = !busy.empty(); again;) {
        again = false;
        for (auto& one : all) {
            if (!is_written(one.how) || std::ranges::none_of(one.item->after, is_busy)) continue;
            one.how = submit_verdict::busy;
            busy.insert(one.item->id);
            again = any = true;
        }
    }
    return any;
}

bool submissions::weigh_all(std::vector<draft>& all) {
    added_tasks added;
    std::unordered_set<task_id> written;
    for (const auto& one : all) {
        if (!is_written(one.how)) continue;
        written.insert(one.item->id);
        if (!one.item->waits()) continue;
        std::vector<task_id> parents;
        for (const auto& parent : first_parents(*one.item)) parents.push_back(parent.id);
        added.add(one.item->id, std::move(parents));
    }
    const auto cycles = added.cycles();
    std::size_t steps = most_steps;
    bool refused = false;
    for (auto& one : all) {
        if (!is_written(one.how) || !one.item->waits()) continue;
        const auto& item = *one.item;
        one.parents = edges_.weigh(item.rule, first_parents(item), written);
        cycle_answer found{.gave_up = is_partial(item)};
        if (waits_for_others(item.rule, !one.parents.unmet.empty(), !one.parents.failed.empty())) {
            if (const auto own = cycles.find(item.id); own != cycles.end()) {
                found.cycle = own->second;
            } else if (!found.gave_up && !one.parents.gone && edges_.any_of(link::tells, item.id)) {
                // Only who is waited for by a task in store can close a cycle with it.
                found = find_cycle(item.id, steps, [&](const task_id& id, std::size_t most) {
                    const auto* with_it = added.parents_of(id);
                    return with_it ? *with_it : parents_of(id, most);
                });
            }
        }
        one.how = judge_waiting(one.how, one.parents.gone.has_value(), !found.cycle.empty(), found.gave_up);
        if (one.how == submit_verdict::gone) one.others = {*one.parents.gone};
        if (one.how == submit_verdict::cycle) one.others = std::move(found.cycle);
        refused = refused || is_refused(one.how);
    }
    if (refused) weigh_without_refused(all, std::move(written));
    return refused;
}

// What was refused begins no new life: who was weighed with that is weighed again.
void submissions::weigh_without_refused(std::vector<draft>& all, std::unordered_set<task_id> written) {
    for (bool again = true; again;) {
        for (const auto& one : all) {
            if (!is_written(one.how)) written.erase(one.item->id);
        }
        again = false;
        for (auto& one : all) {
            if (!is_written(one.how) || !one.item->waits()) continue;
            one.parents = edges_.weigh(one.item->rule, first_parents(*one.item), written);
            if (!one.parents.gone) continue;
            one.how = submit_verdict::gone;
            one.others = {*one.parents.gone};
            again = true;
        }
    }
}

std::vector<submit_answer> submissions::submit_together(std::span<const submission_item> items,
                                                        submit_mode mode) {
    const distinct_batch batch{items};
    const bool all_or_none = mode != submit_mode::each;
    if (all_or_none) {
        if (auto refused = batch.own_refusal(items)) return std::move(*refused);
    }
    std::vector<draft> all;
    bool refused = false;
    for (const auto* item : batch.sent()) {
        draft one{.item = item, .held = rows_.find(item->id)};
        one.recalled = recalls(*item);
        if (one.recalled) {
            one.how = submit_verdict::duplicate;
        } else if (one.held) {
            one.how = judge_held(item->id, *one.held, item->conflict, mode == submit_mode::ask);
        }
        refused = refused || is_refused(one.how);
        all.push_back(std::move(one));
    }
    if (put_off(all)) refused = true;
    if (weigh_all(all)) refused = true;
    const bool withheld = refused && all_or_none;
    std::vector<submit_answer> answers;
    for (auto& one : all) answers.push_back(answer_of(one, withheld));
    if (!withheld && mode != submit_mode::ask) {
        for (auto& one : all) {
            if (is_written(one.how)) write(one);
            remember(*one.item, one.how);
        }
    }
    return batch.answers(items, answers);
}

submit_answer submissions::answer_of(draft& one, bool withheld) {
    if (!one.others.empty()) return {one.how, 0, std::move(one.others)};
    // Of a batch that was refused whole only what refused it matters.
    if (is_written(one.how) && withheld) return {submit_verdict::withheld, 0};
    const bool begins = one.recalled || (is_written(one.how) && one.how != submit_verdict::replaced);
    const auto held = one.held ? one.held->life : 0;
    return {one.how, begins ? incarnation_of(one.item->body) : held};
}

void submissions::write(draft& one) {
    const auto& item = *one.item;
    if (item.waits() || one.held) edges_.forget_waiting(item.id);
    const auto [to, at] = item.waits() ? enlist(one) : target_of(item);
    if (one.held) {
        write_over(item, *one.held, one.how, to, at);
    } else if (!insert(item, *to, at)) {
        throw_damaged("a task is there that was not there before");
    }
}

// Writes what the item waits for, and says where it stands then: with those that wait, or free to run when that is nothing.
std::pair<list_row*, std::int64_t> submissions::enlist(draft& one) {
    const auto& item = *one.item;
    const auto& parents = one.parents;
    edges_.tie(item.id, parents);
    const auto step = first_step_of(item.rule, !parents.unmet.empty(), !parents.failed.empty());
    const bool registering = one.how == submit_verdict::registering;
    if (!registering && step == first_step::free_to_run) return target_of(item);
    const auto phase = registering ? waiting_phase::registering : waiting_phase::waits;
    edges_.keep_waiting(item.id, {phase, item.rule, due_of(item).value_or(0)});
    if (registering) {
        edges_.announce(item.id, tidings::overdue, tx_.now() + registration_patience);
    } else if (step == first_step::wait_and_check) {
        edges_.announce(item.id, tidings::check);
    }
    return {&tx_.cache().list(tx_.cache().queue(item.queue), kind_of(state::waiting)), tx_.now()};
}

}  // namespace errand::sqlite
