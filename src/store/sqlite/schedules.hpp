// Schedules: records that are changed by compare-and-set, the runs that a change makes, and who looks when one is due.
#pragma once

#include "store/sqlite/submissions.hpp"

#include <span>

namespace errand::sqlite {

class schedules {
public:
    schedules(transaction& of, queues& queues, submissions& submissions)
        : tx_{of}, sql_{of.sql}, queues_{queues}, submissions_{submissions} {}

    schedules_answer due(std::size_t limit);
    schedules_answer find(std::span<const task_id> ids);
    schedule_list list(std::string_view after, std::size_t limit);
    std::vector<step_verdict> step(std::span<const schedule_step> steps);
    void leave();
    // What other processes have written is told to those of this namespace who would come too late for it.
    void tell_of_others();

private:
    step_verdict make(const schedule_step& one);
    bool may_be_made(const schedule_step& one, std::uint64_t stamp);
    kept_schedule with_last_run(const task_id& id, std::string record);
    last_run_seen standing_of(const task_id& id);
    // The earliest look after then.
    std::optional<std::int64_t> next_after(std::int64_t then);
    // Those of this namespace for whom that holds; they are told once.
    template <class Condition>
    void tell_those(Condition holds);

    transaction& tx_;
    statements& sql_;
    queues& queues_;
    submissions& submissions_;
};

}  // namespace errand::sqlite
