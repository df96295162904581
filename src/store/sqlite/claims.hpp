// What a worker says and asks of the tasks it holds: taking them, reporting them, and keeping them meanwhile.
#pragma once

#include "store/sqlite/aside_tasks.hpp"
#include "store/sqlite/endings.hpp"
#include "store/sqlite/queues.hpp"

namespace errand::sqlite {

class claims {
public:
    claims(transaction& of, task_rows& rows, queues& queues, endings& endings, aside_tasks& aside)
        : tx_{of}, sql_{of.sql}, rows_{rows}, queues_{queues}, endings_{endings}, aside_{aside} {}

    work_answer work(const work_call& call);
    adopt_answer adopt(const adopt_call& asked);
    recover_answer recover(std::size_t limit, duration lease);

    extend_answer extend(const extend_call& call);
    report_verdict note(const task_id& id, claim_number claim, std::string_view notes);
    report_verdict stage(const task_id& id, claim_number claim, incarnation life, std::string_view record);
    stages_answer stages(const task_id& id, claim_number claim);

private:
    // False: the task is no longer this claim's.
    bool finish(const report& one);
    bool give_back(const report& one, std::optional<std::int64_t> row_number);
    bool finish_later(const report& one, std::optional<std::int64_t> row_number);
    bool end(const report& one, std::optional<std::int64_t> row_number);
    void claim(const claim_request& asked, work_answer& into);
    void read_heads(queue_row& queue, std::size_t room, std::vector<claimed_task>& into, std::size_t& bytes);
    void take_heads(list_row& from, std::size_t count, claim_number by);
    void wait_for_more(const claim_request& asked, work_answer& into, bool cut_short);
    // Once: whoever reports a task holds it no longer.
    std::optional<std::int64_t> row_taken(const task_id& id);
    // One lease for all of them; 0 when there are none.
    claim_number take_lease(const std::vector<claimed_task>& tasks, duration lease);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    endings& endings_;
    aside_tasks& aside_;
    // Of tasks that were claimed here, to find them sooner; by namespace, as one id may stand in several.
    std::unordered_map<std::int64_t, std::unordered_map<task_id, std::int64_t>> rows_taken_;
};

}  // namespace errand::sqlite
