// The seam over a store whose records are sealed. Nothing is decided here, and most calls are handed on as they are: the records
// that tasks have in them are turned into sealed ones on the way in, and back on the way out.
#pragma once

#include "core/sealed_records.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class sealed_store final : public store {
public:
    // `own`: null where somebody else owns `in`.
    sealed_store(store& in, std::unique_ptr<store> own, sealed_records records);
    ~sealed_store() override;
    sealed_store(const sealed_store&) = delete;
    sealed_store& operator=(const sealed_store&) = delete;

    awaitable<void> open() override { return in_.open(); }
    void close() override { in_.close(); }
    void listen(store_listener* to) override;
    const std::string& name() const override { return in_.name(); }
    time_point now() const override { return in_.now(); }
    std::string_view claim_mark() const override { return in_.claim_mark(); }
    void know_claim(claim_number claim, std::string_view mark) override { in_.know_claim(claim, mark); }
    std::size_t shards() const override { return in_.shards(); }
    std::size_t shard_of(const task_id& id) const override { return in_.shard_of(id); }
    bool is_late(std::size_t shard) const override { return in_.is_late(shard); }

    awaitable<std::vector<submit_answer>> submit(std::size_t lane, std::span<const submission_item> items,
                                                 submit_mode mode) override;
    awaitable<void> forget(std::span<const delivered_task> tasks) override { return in_.forget(tasks); }
    awaitable<work_answer> work(const work_call& call) override;
    awaitable<void> busy(std::span<const std::string> queues) override { return in_.busy(queues); }
    awaitable<adopt_answer> adopt(const adopt_call& call) override;
    awaitable<extend_answer> extend(const extend_call& call) override { return in_.extend(call); }
    awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) override {
        return in_.yield_gates(wishes);
    }
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override;
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override;
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override;
    awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                      std::string_view expired_outcome) override {
        return in_.promote(queues, limit, expired_outcome);
    }
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override;
    awaitable<std::size_t> clean(std::size_t limit) override { return in_.clean(limit); }
    awaitable<std::size_t> trim(std::size_t most, std::size_t limit) override {
        return in_.trim(most, limit);
    }
    // What ends a task from outside is in errand's own words.
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override {
        return in_.cancel(id, life, outcome);
    }
    awaitable<std::optional<found_task>> find(const task_id& id) override;
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override;

    awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                  std::span<const parent_task> parents) override {
        return in_.enrol(id, life, parents);
    }
    awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                            std::span<const task_id> parents) override {
        return in_.depend(child, mode, parents);
    }
    awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) override {
        return in_.confirm(id, life, walked);
    }
    awaitable<void> withdraw(const task_id& id, incarnation life) override { return in_.withdraw(id, life); }
    awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                             bool of_waiting) override {
        return in_.links(kind, from, of_waiting);
    }
    awaitable<news_answer> take_news(std::size_t limit, duration lease) override {
        return in_.take_news(limit, lease);
    }
    awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                         std::string_view gathered) override;
    awaitable<void> delivered(std::span<const delivery> all) override { return in_.delivered(all); }
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view encoded_notes, std::string_view other_body) override;

    awaitable<overview_answer> overview() override { return in_.overview(); }
    awaitable<totals_answer> happened(int days) override { return in_.happened(days); }
    awaitable<std::vector<worker_card>> workers() override { return in_.workers(); }
    awaitable<std::vector<std::size_t>> away() override { return in_.away(); }
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override {
        return in_.lists(where, queue);
    }
    awaitable<list_answer> list(const list_call& call) override;
    awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) override {
        return in_.heads(calls);
    }
    awaitable<bool> pause(std::string_view queue) override { return in_.pause(queue); }
    awaitable<bool> resume(std::string_view queue) override { return in_.resume(queue); }
    awaitable<edit_verdict> edit(const edit_call& call) override;
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override {
        return in_.remove(id, outcome);
    }
    std::unique_ptr<auditor> audit(bool repair) override { return in_.audit(repair); }
    awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                std::span<const std::string> queues) override {
        return in_.beat(card, ttl, queues);
    }
    awaitable<void> leave(std::span<const std::string> queues) override { return in_.leave(queues); }

    awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) override;
    awaitable<schedules_answer> due_schedules(std::size_t limit) override;
    awaitable<schedules_answer> find_schedules(std::span<const task_id> ids) override;
    awaitable<std::vector<step_verdict>> step_schedules(std::span<const schedule_step> steps) override;
    awaitable<schedule_list> list_schedules(std::string after, std::size_t limit) override;
    awaitable<void> declare_limits(std::span<const named_limit> limits) override {
        return in_.declare_limits(limits);
    }
    awaitable<void> set_limit(const std::string& name, std::optional<limit_rule> rule) override {
        return in_.set_limit(name, std::move(rule));
    }
    awaitable<void> spread_limit(const std::string& name, std::optional<limit_rule> rule) override {
        return in_.spread_limit(name, std::move(rule));
    }
    awaitable<std::vector<limit_state>> limits() override { return in_.limits(); }
    awaitable<std::vector<gate_waiters>> waiting_at(std::string name, std::size_t most) override {
        return in_.waiting_at(std::move(name), most);
    }
    awaitable<limits_balance> balance_limits(std::string_view worker) override {
        return in_.balance_limits(worker);
    }
    awaitable<std::vector<limit_state>> limits_of(std::span<const std::string> names) override {
        return in_.limits_of(names);
    }
    awaitable<void> set_share(const std::string& name, std::uint64_t version, std::optional<limit_rule> share,
                              limit_rule whole) override {
        return in_.set_share(name, version, std::move(share), whole);
    }
    awaitable<lent_limits> lent(std::string_view worker) override { return in_.lent(worker); }
    awaitable<bool> lend(const std::string& name, std::uint64_t seen, std::string record) override {
        return in_.lend(name, seen, std::move(record));
    }
    bool any_settings() const override { return in_.any_settings(); }
    awaitable<settings_of_shards> settings() override { return in_.settings(); }
    awaitable<std::string> find_settings(std::string handler) override {
        return in_.find_settings(std::move(handler));
    }
    awaitable<bool> set_settings(settings_step step) override { return in_.set_settings(std::move(step)); }
    awaitable<quota_answer> take_quota(quota_ask ask) override { return in_.take_quota(std::move(ask)); }
    awaitable<request_answer> count_request(request_count of) override {
        return in_.count_request(std::move(of));
    }
    awaitable<void> take_back_request(request_count of, std::int64_t mark) override {
        return in_.take_back_request(std::move(of), mark);
    }
    awaitable<void> add_figures(std::span<const handler_count> counts) override {
        return in_.add_figures(counts);
    }
    awaitable<figures_answer> figures() override { return in_.figures(); }
    // It is below: what is on it is encrypted.
    std::optional<duration> shelf_ahead() const override { return in_.shelf_ahead(); }
    awaitable<std::size_t> fetch_shelved(std::shared_ptr<shelf_pass> of) override {
        return in_.fetch_shelved(std::move(of));
    }
    awaitable<std::optional<shelf_state>> look_at_shelf() override { return in_.look_at_shelf(); }

private:
    class ear;

    submission_item sealed(submission_item one) const;
    report sealed(report one) const;
    void open(claimed_task& one) const;
    void open(std::vector<claimed_task>& all) const;
    void open(found_task& one) const;
    void open(ended_task& one) const;
    void open(std::vector<kept_schedule>& all) const;

    std::unique_ptr<store> own_;
    store& in_;
    const sealed_records records_;
    std::unique_ptr<ear> ear_;
};

}  // namespace errand
