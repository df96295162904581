// What every way of ending has in common: who waits for it is told, it is counted, and as much of it is kept as was asked.
#pragma once

#include "store/sqlite/edges.hpp"

namespace errand::sqlite {

// The count of ends in this state.
std::int64_t queue_totals::* total_of(state where);

class endings {
public:
    endings(transaction& of, task_rows& rows, edges& edges)
        : tx_{of}, sql_{of.sql}, rows_{rows}, edges_{edges} {}

    // Tells those who watch, and makes news for tasks that depend on it. Whether there were any.
    bool tell(const task_id& id, incarnation life, std::int64_t finished, std::string_view outcome);
    // The same for the schedule whose run it is, if it is one.
    bool tell_schedule(const task_id& id, std::string_view body);
    // Ends a task that no worker holds, now. Its row must be in the list that it leaves.
    void bury(const task_id& id, task_row& row, std::string_view outcome);
    // A worker's report of the end of a task of which nothing is to be kept.
    void end_without_trace(const task_id& id, task_row& row, std::int64_t finished, std::string_view outcome,
                           bool heard);
    // Its edges go first, in steps: false while some are left. The id goes on refusing duplicates for as long as was
    // promised, without its arguments and result.
    bool drop_ended(const task_id& id, task_row& row);
    void leave_waiting(const task_id& id, const task_row& row);

private:
    // Where that is to hear of any end.
    bool tell_schedule_of_any_end(const task_id& id, const task_row& row);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    edges& edges_;
};

}  // namespace errand::sqlite
