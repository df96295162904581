// The seam over a store whose records are sealed. Nothing is decided here, and most calls are handed on as they are: the records
// that tasks have in them are turned into sealed ones on the way in, and back on the way out. That no call which has such a record goes
// past is held by tests/page_rules/seam, which names those that have none.
#pragma once

#include "core/sealed_records.hpp"
#include "store/passing_store.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class sealed_store final : public passing_store {
public:
    sealed_store(std::unique_ptr<store> in, sealed_records records);
    sealed_store(store& in, sealed_records records);
    ~sealed_store() override;
    sealed_store(const sealed_store&) = delete;
    sealed_store& operator=(const sealed_store&) = delete;

    using passing_store::open;
    void listen(store_listener* to) override;

    awaitable<std::vector<submit_answer>> submit(std::size_t lane, std::span<const submission_item> items,
                                                 submit_mode mode) override;
    awaitable<work_answer> work(const work_call& call) override;
    awaitable<adopt_answer> adopt(const adopt_call& call) override;
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override;
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override;
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override;
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override;
    awaitable<std::optional<found_task>> find(const task_id& id) override;
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override;

    awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                         std::string_view gathered) override;
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view encoded_notes, std::string_view other_body) override;

    awaitable<list_answer> list(const list_call& call) override;
    awaitable<edit_verdict> edit(const edit_call& call) override;

    awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) override;
    awaitable<schedules_answer> due_schedules(std::size_t limit) override;
    awaitable<schedules_answer> find_schedules(std::span<const task_id> ids) override;
    awaitable<std::vector<step_verdict>> step_schedules(std::span<const schedule_step> steps) override;
    awaitable<schedule_list> list_schedules(std::string after, std::size_t limit) override;

private:
    class opening_listener;

    submission_item sealed(submission_item one) const;
    report sealed(report one) const;
    void open(claimed_task& one) const;
    void open(std::vector<claimed_task>& all) const;
    void open(found_task& one) const;
    void open(ended_task& one) const;
    void open(std::vector<kept_schedule>& all) const;

    const sealed_records records_;
    std::unique_ptr<opening_listener> below_;
};

}  // namespace errand
