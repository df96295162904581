// What a worker says and asks of the tasks it holds: taking them, reporting them, and keeping them meanwhile.
#pragma once

#include "store/sqlite/aside_tasks.hpp"
#include "store/sqlite/bundles.hpp"
#include "store/sqlite/endings.hpp"
#include "store/sqlite/queues.hpp"

namespace errand::sqlite {

// A claim takes no more than so many bytes at once, but one task at least.
inline constexpr std::size_t most_bytes_claimed = std::size_t{16} * 1024 * 1024;

class claims {
public:
    claims(transaction& of, task_rows& rows, queues& queues, endings& endings, aside_tasks& aside,
           gates& gates, groups& groups, bundles& bundles)
        : tx_{of},
          sql_{of.sql},
          rows_{rows},
          queues_{queues},
          endings_{endings},
          aside_{aside},
          gates_{gates},
          groups_{groups},
          bundles_{bundles} {}

    work_answer work(const work_call& call);
    adopt_answer adopt(const adopt_call& asked);
    recover_answer recover(std::size_t limit, duration lease);

    extend_answer extend(const extend_call& call);
    std::vector<yield_verdict> yield_gates(std::span<const yield_wish> wishes);
    report_verdict note(const task_id& id, claim_number claim, std::string_view notes);
    report_verdict stage(const task_id& id, claim_number claim, incarnation life, std::string_view record);
    stages_answer stages(const task_id& id, claim_number claim);

private:
    // Under way: its number is given by the first task that is taken at once.
    struct open_claim {
        std::vector<claimed_task>& tasks;
        std::size_t limit;
        std::size_t bytes = 0;
        claim_number number = 0;
        std::vector<std::string> timed{};  // queues in which groups wait for a time
        bool cut_short = false;            // there is more to look at
        std::span<const std::string> queues{};
        bool apart = false;  // each task has a number of its own
        bool is_full() const;
    };

    // False: the task is no longer this claim's.
    bool finish(const report& one);
    bool give_back(const report& one, std::optional<std::int64_t> row_number);
    bool regroup(const report& one);
    bool finish_later(const report& one, std::optional<std::int64_t> row_number);
    bool end(const report& one, std::optional<std::int64_t> row_number);
    void claim(const claim_request& asked, work_answer& into);
    void claim_heads(queue_row& queue, open_claim& into);
    // As far as one answer carries them; how many those are.
    std::size_t read_rows(cursor rows, const queue_row& queue, open_claim& into);
    // The last ones of those that it has read, which are the first ones there.
    void take_heads(list_row& from, std::size_t count, open_claim& by);
    void take_leases(open_claim& claimed, duration lease);
    void wait_for_more(const claim_request& asked, work_answer& into, const open_claim& claimed);
    // Once: whoever reports a task holds it no longer.
    std::optional<std::int64_t> row_taken(const task_id& id);
    // One lease for all of them; 0 when there are none. `number`: of those that were taken before.
    claim_number take_lease(std::span<const claimed_task> tasks, duration lease, claim_number number = 0);

    // ---- with gates (claim_in_turns.cpp) ----
    claim_number number_of(open_claim& one);
    void claim_in_turns(queue_row& queue, open_claim& into);
    std::size_t take_plain(queue_row& queue, std::size_t room, std::int64_t before, open_claim& into);
    void start_first_of(queue_row& queue, const waiting_group& group, open_claim& into);
    void adopt_from(list_row& from, open_claim& into);
    bool any_adoptable(const std::vector<list_row*>& lists);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    endings& endings_;
    aside_tasks& aside_;
    gates& gates_;
    groups& groups_;
    bundles& bundles_;
    // Of tasks that were claimed here, to find them sooner; by namespace, as one id may stand in several.
    std::unordered_map<std::int64_t, std::unordered_map<task_id, std::int64_t>> rows_taken_;
};

}  // namespace errand::sqlite
