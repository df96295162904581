// Which of the ticks that are due together are fired, and when a fired one may start.
#pragma once

#include "core/task_id.hpp"
#include "core/tick_plan.hpp"

namespace errand {

struct missed_terms {
    missed_rule rule = missed_rule::run_once;
    int cap = 100;                            // of run_all, >= 1
    std::optional<std::int64_t> runs_left{};  // of max_runs
};

struct due_ticks {
    std::vector<time_point> fire;    // oldest first
    std::int64_t missed = 0;         // due and not fired
    std::optional<time_point> next;  // nullopt: none, or it follows from the end of the run
    bool finished = false;           // none will ever follow
};

// `expected`: the tick that the schedule waits for, which a run may have set to a time of its own choice; it and the planned
// ones after it until `now` are due.
due_ticks due_until(const tick_plan& plan, time_point expected, time_point now, const missed_terms& terms);

// By how much the run of a tick is put off, 0 <= it < min(jitter, gap): the same wherever and whenever it is asked.
duration tick_jitter(const task_id& schedule, time_point tick, duration jitter, duration gap);

}  // namespace errand
