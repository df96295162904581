// A store in front of another one that hands every call on as it is; who derives from it says what is done otherwise. It belongs to
// one loop, as each store does.
#pragma once

#include "store/store.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

class passing_store : public store {
public:
    awaitable<void> open() override { return in_.open(); }
    void close() override { in_.close(); }
    void listen(store_listener* to) override { in_.listen(to); }
    const std::string& name() const override { return in_.name(); }
    time_point now() const override { return in_.now(); }
    std::string_view claim_mark() const override { return in_.claim_mark(); }
    void know_claim(claim_number claim, std::string_view mark) override { in_.know_claim(claim, mark); }
    std::size_t shards() const override { return in_.shards(); }
    std::size_t shard_of(const task_id& id) const override { return in_.shard_of(id); }
    bool is_late(std::size_t shard) const override { return in_.is_late(shard); }
    awaitable<std::vector<submit_answer>> submit(std::size_t lane, std::span<const submission_item> items,
                                                 submit_mode mode) override {
        return in_.submit(lane, items, mode);
    }
    awaitable<void> forget(std::span<const delivered_task> tasks) override { return in_.forget(tasks); }
    awaitable<work_answer> work(const work_call& call) override { return in_.work(call); }
    awaitable<void> busy(std::span<const std::string> queues) override { return in_.busy(queues); }
    awaitable<adopt_answer> adopt(const adopt_call& call) override { return in_.adopt(call); }
    awaitable<extend_answer> extend(const extend_call& call) override { return in_.extend(call); }
    awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) override {
        return in_.yield_gates(wishes);
    }
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override {
        return in_.note(id, claim, std::move(notes));
    }
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override {
        return in_.stage(id, claim, life, std::move(record));
    }
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override {
        return in_.stages(id, claim);
    }
    awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                      std::string_view expired_outcome) override {
        return in_.promote(queues, limit, expired_outcome);
    }
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override {
        return in_.recover(limit, lease);
    }
    awaitable<std::size_t> clean(std::size_t limit) override { return in_.clean(limit); }
    awaitable<std::size_t> trim(std::size_t most, std::size_t limit) override {
        return in_.trim(most, limit);
    }
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override {
        return in_.cancel(id, life, outcome);
    }
    awaitable<std::optional<found_task>> find(const task_id& id) override { return in_.find(id); }
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override { return in_.watch(tasks); }
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
                                                         std::string_view gathered) override {
        return in_.resolve(all, gathered);
    }
    awaitable<void> delivered(std::span<const delivery> all) override { return in_.delivered(all); }
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view encoded_notes, std::string_view other_body) override {
        return in_.revive(id, life, finished_at, encoded_notes, other_body);
    }
    awaitable<overview_answer> overview() override { return in_.overview(); }
    awaitable<totals_answer> happened(int days) override { return in_.happened(days); }
    awaitable<std::vector<worker_card>> workers() override { return in_.workers(); }
    awaitable<std::vector<std::size_t>> away() override { return in_.away(); }
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override {
        return in_.lists(where, queue);
    }
    awaitable<list_answer> list(const list_call& call) override { return in_.list(call); }
    awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) override {
        return in_.heads(calls);
    }
    awaitable<bool> pause(std::string_view queue) override { return in_.pause(queue); }
    awaitable<bool> resume(std::string_view queue) override { return in_.resume(queue); }
    awaitable<edit_verdict> edit(const edit_call& call) override { return in_.edit(call); }
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override {
        return in_.remove(id, outcome);
    }
    std::unique_ptr<auditor> audit(bool repair) override { return in_.audit(repair); }
    awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                std::span<const std::string> queues) override {
        return in_.beat(card, ttl, queues);
    }
    awaitable<void> leave(std::span<const std::string> queues) override { return in_.leave(queues); }
    awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) override {
        return in_.bundle(carrier, after);
    }
    awaitable<schedules_answer> due_schedules(std::size_t limit) override { return in_.due_schedules(limit); }
    awaitable<schedules_answer> find_schedules(std::span<const task_id> ids) override {
        return in_.find_schedules(ids);
    }
    awaitable<std::vector<step_verdict>> step_schedules(std::span<const schedule_step> steps) override {
        return in_.step_schedules(steps);
    }
    awaitable<schedule_list> list_schedules(std::string after, std::size_t limit) override {
        return in_.list_schedules(std::move(after), limit);
    }
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
    std::optional<duration> shelf_ahead() const override { return in_.shelf_ahead(); }
    awaitable<std::size_t> fetch_shelved(std::shared_ptr<shelf_pass> of) override {
        return in_.fetch_shelved(std::move(of));
    }
    awaitable<std::optional<shelf_state>> look_at_shelf() override { return in_.look_at_shelf(); }

protected:
    explicit passing_store(std::unique_ptr<store> in) : own_{std::move(in)}, in_{*own_} {}
    // Over one that somebody else owns, and that outlives it.
    explicit passing_store(store& in) : in_{in} {}

private:
    std::unique_ptr<store> own_;

protected:
    store& in_;
};

}  // namespace errand
