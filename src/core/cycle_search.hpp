// Cycles of tasks that wait for each other: what refuses a submission that nobody could ever start.
//
// Who reads the edges is the caller's affair: from a file, from a map, page by page over a network. submit_after.lua and
// lib_walk.lua say the same.
#pragma once

#include "core/task_id.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace errand {

// Tasks that are about to be added, each with what it is to wait for. Of equal ids the first one counts.
class added_tasks {
public:
    void add(const task_id& id, std::vector<task_id> parents);
    // Null: it is not among them.
    const std::vector<task_id>* parents_of(const task_id& id) const;
    // For each that is on a cycle of these: the ids on it, each waiting for the next and the last for the first.
    std::unordered_map<task_id, std::vector<task_id>> cycles() const;

private:
    std::vector<task_id> order_;
    std::unordered_map<task_id, std::vector<task_id>> parents_;
};

// What a walk from a task through what it waits for has come by. Each task is reached once.
class cycle_walk {
public:
    explicit cycle_walk(const task_id& start) : start_{start} {}

    enum class step : std::uint8_t {
        known,    // the parent was reached before
        reached,  // go on from it
        closes,   // it is the start
    };
    step follow(const task_id& child, const task_id& parent);
    // From the start to a task that was reached.
    std::vector<task_id> way_to(task_id last) const;

private:
    task_id start_;
    std::unordered_map<task_id, task_id> came_from_;
};

struct cycle_answer {
    std::vector<task_id> cycle{};  // from the start; empty: none was found
    bool gave_up = false;          // the budget did not suffice
};

// A way from a task through what it waits for back to itself. `parents_of(id, most)`: what that task waits for, or `most` of
// it when it is more. A task and an edge cost one of the budget each; what is left of it stays there.
template <class ParentsOf>
cycle_answer find_cycle(const task_id& start, std::size_t& budget, ParentsOf parents_of) {
    cycle_walk walk{start};
    std::vector<task_id> open{start};
    while (!open.empty()) {
        const auto at = open.back();
        open.pop_back();
        const auto parents = parents_of(at, budget + 1);
        if (budget < 1 + parents.size()) {
            budget = 0;
            return {.gave_up = true};
        }
        budget -= 1 + parents.size();
        for (const auto& parent : parents) {
            const auto what = walk.follow(at, parent);
            if (what == cycle_walk::step::closes) return {.cycle = walk.way_to(at)};
            if (what == cycle_walk::step::reached) open.push_back(parent);
        }
    }
    return {};
}

}  // namespace errand
