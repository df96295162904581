// A store in a few maps: it does to tasks that depend on each other what the rules of core say, and nothing else.
#pragma once

#include "core/cycle_search.hpp"
#include "store/store.hpp"

#include <map>
#include <set>

namespace errand::rule_model {

struct kept_task {
    state where = state::ready;
    incarnation life = 0;
    bool started = false;
    duration unique_for{0};
};

struct kept_record {
    waiting_phase phase = waiting_phase::waits;
    on_failed rule = on_failed::cancel;
    bool later = false;  // it is delayed when it is released
};

class model {
public:
    std::map<task_id, kept_task> tasks;
    std::map<task_id, kept_record> waiting;
    std::map<link, std::set<std::pair<task_id, task_id>>> edges;
    std::set<std::pair<task_id, tidings>> news;

    std::vector<submit_answer> submit(std::span<const submission_item> items, submit_mode mode);
    void end(const task_id& id, state as, duration unique_for = {});
    void cancel(const task_id& id);
    bool revive(const task_id& id);

    std::vector<task_id> others(link kind, const task_id& of) const;
    // Of those that are told: who is to hear of the parent again.
    std::vector<task_id> resolve(const resolution& one);
    void delivered(const delivery& one);
    // What is told is true.
    bool holds(const task_id& about, tidings what) const;

private:
    struct draft {
        const submission_item* item;
        submit_verdict how = submit_verdict::accepted;
        std::vector<task_id> others{}, unmet{}, failed{}, met{};
        std::optional<task_id> gone{};
    };
    submit_verdict judge_held(const submission_item& item) const;
    std::optional<state> where(const task_id& id) const;
    void weigh_parents(draft& one, const std::set<task_id>& written) const;
    void weigh(std::vector<draft>& all) const;
    void write(const draft& one);
    void forget_parents(const task_id& id);
    void carry_out(const task_id& id, const resolution& why);

    void add(link kind, const task_id& of, const task_id& other) { edges[kind].emplace(of, other); }
    bool has(link kind, const task_id& of, const task_id& other) const;
};

}  // namespace errand::rule_model
