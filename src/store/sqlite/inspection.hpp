// What is asked about tasks from outside: one of them, their ends, pages of them, counts of all.
#pragma once

#include "store/sqlite/edges.hpp"
#include "store/sqlite/gates.hpp"

#include <span>

namespace errand::sqlite {

class inspection {
public:
    inspection(transaction& of, task_rows& rows, edges& edges, gates& gates)
        : tx_{of}, sql_{of.sql}, rows_{rows}, edges_{edges}, gates_{gates} {}

    std::optional<found_task> find(const task_id& id);
    watch_answer watch(std::span<const watched_task> tasks);
    // Whether somebody of this process has asked lately to hear of the end of a task.
    bool watches() const;

    std::vector<task_list> lists(state where, std::string_view queue);
    list_answer list(const list_call& call);
    std::vector<std::optional<time_point>> heads(std::span<const list_call> calls);

    // ---- without looking at a single task (overview.cpp) ----
    overview_answer overview();
    totals_answer happened();
    std::vector<worker_card> workers();

private:
    std::string worker_of(claim_number claim);
    list_answer list_running(const list_call& call);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    edges& edges_;
    gates& gates_;
    std::int64_t watched_at_ = 0;  // when somebody asked, us
};

}  // namespace errand::sqlite
