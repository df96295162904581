// What callers do to single tasks: cancel, edit, remove.
#pragma once

#include "store/sqlite/aside_tasks.hpp"
#include "store/sqlite/endings.hpp"
#include "store/sqlite/queues.hpp"
#include "store/submission.hpp"

#include <span>

namespace errand::sqlite {

class changes {
public:
    changes(transaction& of, task_rows& rows, queues& queues, edges& edges, endings& endings,
            aside_tasks& aside)
        : tx_{of},
          sql_{of.sql},
          rows_{rows},
          queues_{queues},
          edges_{edges},
          endings_{endings},
          aside_{aside} {}

    cancel_answer cancel(const task_id& id, incarnation life, std::string_view outcome);
    edit_verdict edit(const edit_call& call);
    // In steps; none: edges are left, and it is to be called again.
    std::optional<remove_verdict> remove(const task_id& id, std::string_view outcome);
    // Those that were to end together with what was submitted, where that was not refused.
    void end_others(std::span<const submission_item> items, std::span<const submit_answer> answers);

private:
    // That a task it runs is not its own any more.
    void tell_worker(const task_id& id, claim_number claim);
    // Where a task stands then that does not wait for others.
    std::pair<list_row*, std::int64_t> place_after_edit(const task_id& id, task_row& row,
                                                        std::optional<group_number> group, int priority,
                                                        std::optional<std::int64_t> due);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    edges& edges_;
    endings& endings_;
    aside_tasks& aside_;
};

}  // namespace errand::sqlite
