// submit: what becomes of an item whose id may be held, and of one that depends on others.
#pragma once

#include "store/sqlite/edges.hpp"
#include "store/sqlite/queues.hpp"

#include <span>

namespace errand::sqlite {

struct submitted {
    std::vector<submit_answer> answers{};
    // Those that were answered as busy until what an ended task of that id waited for is forgotten: by untangle. None of a batch in
    // which something was refused for good.
    std::vector<task_id> tangled{};
    bool wrote = false;  // something, whose submitter is not to wait for that
};

class submissions {
public:
    submissions(transaction& of, task_rows& rows, queues& queues, edges& edges)
        : tx_{of}, sql_{of.sql}, rows_{rows}, queues_{queues}, edges_{edges} {}

    submitted submit(std::span<const submission_item> items, submit_mode mode);
    // Forgets what an ended task had waited for, before its id is started anew: a step of it. False when some may be left.
    bool untangle(const task_id& id);
    void forget(std::span<const delivered_task> tasks);
    // One that depends on nothing: nothing becomes of it where its id is held, by whatever it is.
    void submit_where_free(const submission_item& item);

private:
    // An item on its way to a decision.
    struct draft;

    // ---- of those that may come again ----
    bool recalls(const submission_item& item);
    void remember(const submission_item& item, submit_verdict how);

    // ---- each by itself (submit.cpp) ----
    submit_answer submit_alone(const submission_item& item);
    submit_answer decide_alone(const submission_item& item);
    // What becomes of an item whose id is held; accepted: it begins a new life.
    submit_verdict judge_held(const task_id& id, const task_row& row, on_conflict conflict, bool asks);
    std::optional<std::int64_t> due_of(const submission_item& item) const;
    std::optional<std::int64_t> expiry_of(const submission_item& item) const;
    static std::optional<group_number> group_of_item(const submission_item& item);
    std::pair<list_row*, std::int64_t> target_of(const submission_item& item);
    bool insert(const submission_item& item, list_row& to, std::int64_t at);
    // A new life of an ended task, or other arguments for one that never started: the row stays, what is in it is new.
    // Without a list, the task becomes free to run.
    void write_over(const submission_item& item, task_row& held, submit_verdict how, list_row* to,
                    std::int64_t at);

    // ---- together (submit_together.cpp) ----
    std::vector<submit_answer> submit_together(std::span<const submission_item> items, submit_mode mode);
    static submit_answer answer_of(draft& one, bool withheld);
    // Decides about those that depend on others. Whether any was refused.
    static bool put_off(std::vector<draft>& all);
    bool weigh_all(std::vector<draft>& all);
    void weigh_without_refused(std::vector<draft>& all, std::unordered_set<task_id> written);
    std::vector<task_id> parents_of(const task_id& id, std::size_t most);
    void write(draft& one);
    std::pair<list_row*, std::int64_t> enlist(draft& one);

    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    queues& queues_;
    edges& edges_;
    std::vector<task_id> tangled_;  // of the call under way
};

}  // namespace errand::sqlite
