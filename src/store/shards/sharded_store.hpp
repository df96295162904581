// The seam over several shards, each a store of its own: calls go to the shards that they concern, at the same time,
// and come back as one answer. What is one step in a store is one step in each shard here.
//
// A shard that is away keeps no other from going on: what all are asked again and again is answered by those that are there,
// the call to the other is kept, and what it says in the end is part of a later answer. Only a call about tasks of that
// shard alone waits for it.
//
// Nothing else is decided here: which tasks depend on tasks of other shards is said to each shard, and how their edges
// are kept right is the business of the scripts, of registrations and of the resolver.
#pragma once

#include "core/limit_shares.hpp"
#include "store/settings.hpp"
#include "store/shards/claim_turns.hpp"
#include "store/shards/parallel_calls.hpp"
#include "store/shards/rounds.hpp"
#include "store/shards/routes.hpp"
#include "store/store.hpp"

#include <chrono>
#include <functional>
#include <set>
#include <utility>

namespace errand {

class sharded_store final : public store {
public:
    // In the order of their numbers; at least two. Of `settings` patience and trouble.
    explicit sharded_store(std::vector<std::unique_ptr<store>> shards, store_settings settings = {});
    ~sharded_store() override;
    sharded_store(const sharded_store&) = delete;
    sharded_store& operator=(const sharded_store&) = delete;

    awaitable<void> open() override;
    void close() override;
    void listen(store_listener* to) override { listener_ = to; }
    const std::string& name() const override { return shards_.front()->name(); }
    time_point now() const override { return shards_[clock_]->now(); }
    std::string_view claim_mark() const override { return shards_.front()->claim_mark(); }
    void know_claim(claim_number claim, std::string_view mark) override {
        shards_[shards::shard_of_claim(claim, shards())]->know_claim(inner(claim), mark);
    }
    std::size_t shards() const override { return shards_.size(); }
    std::size_t shard_of(const task_id& id) const override { return shards::shard_of(id, shards_.size()); }

    bool is_late(std::size_t shard) const override;
    awaitable<std::vector<submit_answer>> submit(std::size_t lane, std::span<const submission_item> items,
                                                 submit_mode mode) override;
    awaitable<void> forget(std::span<const delivered_task> tasks) override;
    awaitable<work_answer> work(const work_call& call) override;
    awaitable<void> busy(std::span<const std::string> queues) override;
    awaitable<adopt_answer> adopt(const adopt_call& call) override;
    awaitable<extend_answer> extend(const extend_call& call) override;
    awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) override;
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override {
        return owner(id).note(id, inner(claim), std::move(notes));
    }
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override {
        return owner(id).stage(id, inner(claim), life, std::move(record));
    }
    awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) override {
        return owner(carrier).bundle(carrier, after);
    }
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override {
        return owner(id).stages(id, inner(claim));
    }
    awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                      std::string_view expired_outcome) override;
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override;
    awaitable<std::size_t> clean(std::size_t limit) override;
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override {
        return owner(id).cancel(id, life, outcome);
    }
    awaitable<std::optional<found_task>> find(const task_id& id) override;
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override;
    awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                  std::span<const parent_task> parents) override;
    awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                            std::span<const task_id> parents) override;
    awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) override {
        return owner(id).confirm(id, life, walked);
    }
    awaitable<void> withdraw(const task_id& id, incarnation life) override {
        return owner(id).withdraw(id, life);
    }
    awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                             bool of_waiting) override;
    awaitable<news_answer> take_news(std::size_t limit, duration lease) override;
    awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                         std::string_view gathered) override;
    awaitable<void> delivered(std::span<const delivery> all) override;
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view encoded_notes, std::string_view other_body) override {
        return owner(id).revive(id, life, finished_at, encoded_notes, other_body);
    }
    awaitable<overview_answer> overview() override;
    awaitable<totals_answer> happened(int days) override;
    awaitable<std::vector<worker_card>> workers() override;
    awaitable<std::vector<std::size_t>> away() override;
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override;
    awaitable<list_answer> list(const list_call& call) override;
    awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) override;
    awaitable<bool> pause(std::string_view queue) override;
    awaitable<bool> resume(std::string_view queue) override;
    awaitable<edit_verdict> edit(const edit_call& call) override { return owner(call.id).edit(call); }
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override {
        return owner(id).remove(id, outcome);
    }
    awaitable<std::size_t> trim(std::size_t most, std::size_t limit) override;
    std::unique_ptr<auditor> audit(bool repair) override;
    awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                std::span<const std::string> queues) override;
    awaitable<void> leave(std::span<const std::string> queues) override;
    awaitable<schedules_answer> due_schedules(std::size_t limit) override;
    awaitable<schedules_answer> find_schedules(std::span<const task_id> ids) override;
    awaitable<std::vector<step_verdict>> step_schedules(std::span<const schedule_step> steps) override;
    awaitable<schedule_list> list_schedules(std::string after, std::size_t limit) override;
    awaitable<void> declare_limits(std::span<const named_limit> limits) override;
    awaitable<void> set_limit(const std::string& name, std::optional<limit_rule> rule) override;
    awaitable<void> spread_limit(const std::string& name, std::optional<limit_rule> rule) override;
    awaitable<std::vector<limit_state>> limits() override;
    awaitable<std::vector<gate_waiters>> waiting_at(std::string name, std::size_t most) override;
    awaitable<limits_balance> balance_limits(std::string_view worker) override;
    bool any_settings() const override;
    awaitable<settings_of_shards> settings() override;
    awaitable<std::string> find_settings(std::string handler) override;
    awaitable<bool> set_settings(settings_step step) override;
    awaitable<quota_answer> take_quota(quota_ask ask) override;
    awaitable<request_answer> count_request(request_count of) override;
    awaitable<void> take_back_request(request_count of, std::int64_t mark) override;
    awaitable<void> add_figures(std::span<const handler_count> counts) override;
    awaitable<figures_answer> figures() override;

private:
    class shard_listener;
    struct work_part;
    // What one lane has to do with one shard: a call that is under way, and what waits until it has been answered.
    struct pending_reports {
        bool under_way = false;
        std::vector<report> reports;
        std::vector<claim_number> closed;
    };
    // What a shard gave when its call had been gone on without.
    struct late_task {
        claimed_task task;
        duration lease{};  // that it was claimed for
    };
    enum class opening : unsigned char { closed, under_way, open };
    struct open_state;
    // Longer than a look takes where nothing is wrong.
    static constexpr duration patience_of_lookers{1'000};

    store& owner(const task_id& id) { return *shards_[shard_of(id)]; }
    claim_number inner(claim_number claim) const { return shards::inner_claim(claim, shards()); }
    // `id(item)`: the task by which its shard is known.
    template <class Item, class Id = std::identity>
    std::vector<shards::part<Item>> by_shard(std::span<const Item> items, Id id = {}) const {
        return shards::split(items, shards(),
                             [&](const Item& one) { return shard_of(std::invoke(id, one)); });
    }
    // Who only looks is told what those know that answer soon; nothing of the others, and those without which the store was
    // opened are not asked. `call(store&)` refers to nothing else: it may go on for longer.
    template <class Answer, class Call>
    awaitable<std::vector<std::optional<Answer>>> those_there(Call call) {
        const auto executor = co_await boost::asio::this_coro::executor;
        const auto all = std::make_shared<shards::late_answers<Answer>>(executor, shards());
        for (std::size_t at = 0; at < shards(); ++at) {
            if (!is_yet_to_come(at)) all->start(at, call(*shards_[at]), nullptr);
        }
        co_await all->wait_for_some(patience_of_lookers);
        std::vector<std::optional<Answer>> answers;
        for (std::size_t at = 0; at < shards(); ++at) answers.push_back(all->take(at));
        co_return answers;
    }
    // It was opened without that one, which has not answered since.
    bool is_yet_to_come(std::size_t shard) const;
    // Whether it changed anything; says which shards it did not reach while it reached others.
    awaitable<bool> change_everywhere(std::string_view what, std::function<awaitable<bool>(store&)> change);
    // A time of one shard's clock, by the clock of this store.
    time_point moved(time_point at, time_point its_now) const { return now() + (at - its_now); }
    void earlier(std::optional<time_point>& best, const std::optional<time_point>& at,
                 time_point its_now) const;
    claimed_task outer(claimed_task one, std::size_t shard) const;
    void learn(const work_part& from);
    void note_put_off(const std::vector<report>& reports);

    shards::part<submission_item> placed(shards::part<submission_item> one) const;
    awaitable<std::vector<submit_answer>> submit_all(std::size_t lane, std::size_t count,
                                                     std::vector<shards::part<submission_item>> parts,
                                                     submit_mode mode);
    awaitable<std::vector<submit_answer>> submit_part(std::size_t lane,
                                                      const shards::part<submission_item>& of,
                                                      submit_mode mode);
    awaitable<void> take_off(std::span<const std::string> queues);
    // `where`: tasks that it limits stand in the first shard, or in any.
    enum class reach : unsigned char { first, any };
    awaitable<void> change_limit(std::string name, std::optional<limit_rule> rule, reach where);
    // Those that are there and have not heard; one that does not answer soon hears it later. Returns how many there were.
    awaitable<std::size_t> tell_shares(const limit_shares& all,
                                       std::span<const std::optional<seen_share>> seen);

    awaitable<void> keep_opening(std::size_t shard, std::shared_ptr<open_state> with);
    shards::rounds<bool>::failed tells_trouble();
    void tell_trouble(std::size_t shard, const std::exception_ptr& failure) const;
    void tell_trouble(std::size_t shard, std::string_view text) const;
    void heard_late();

    pending_reports& pending_of(std::size_t lane, std::size_t shard);
    std::vector<std::shared_ptr<work_part>> parts_of(const work_call& asked, work_answer& got);
    static awaitable<work_answer> call_of(store& in, std::shared_ptr<work_part> part);
    void start(const boost::asio::any_io_executor& executor, const std::shared_ptr<work_part>& part);
    awaitable<void> wait_for(const std::vector<std::shared_ptr<work_part>>& asked,
                             boost::asio::steady_timer& ended) const;
    void came_late(const boost::asio::any_io_executor& executor, work_part& part);
    void failed_late(const boost::asio::any_io_executor& executor, work_part& part);
    void send_waiting(const boost::asio::any_io_executor& executor, std::size_t lane, std::size_t shard);
    awaitable<void> send_again(boost::asio::any_io_executor executor, std::size_t lane, std::size_t shard);
    void take_late(const claim_request& asked, std::vector<claimed_task>& to);
    awaitable<void> give_back_late(boost::asio::any_io_executor executor);

    std::vector<std::unique_ptr<store>> shards_;
    std::vector<std::unique_ptr<shard_listener>> listeners_;
    store_settings settings_;
    store_listener* listener_ = nullptr;
    std::shared_ptr<int> alive_ = std::make_shared<int>();  // for what ends later than this object
    bool closed_ = false;
    std::shared_ptr<open_state> opening_;
    std::size_t clock_ = 0;  // the shard by whose clock times are told
    shards::claim_turns turns_;
    // Calls of extend that have not been answered.
    std::vector<std::shared_ptr<shards::late_answers<extend_answer>>> extensions_;
    struct adoption;
    std::size_t first_adopted_ = 0;
    std::vector<bool> adopting_;  // a call there has not been answered
    std::shared_ptr<sharded_store*> here_ = std::make_shared<sharded_store*>(this);  // as long as it lives
    std::vector<bool> may_be_idle_;         // this worker may be waiting for tasks there
    std::vector<pending_reports> pending_;  // of each lane, one a shard
    // By shard: since when parts of batches are on their way to it.
    std::vector<std::multiset<std::chrono::steady_clock::time_point>> batches_;
    std::vector<late_task> late_claimed_;
    std::vector<std::shared_ptr<shards::late_answers<std::vector<std::vector<task_id>>>>> resolving_;

    shards::rounds<promote_answer> promote_;
    shards::rounds<recover_answer> recover_;
    shards::rounds<news_answer> news_;
    shards::rounds<std::size_t> clean_;
    shards::rounds<std::size_t> trim_;
    shards::rounds<beat_answer> beat_;
    shards::rounds<bool> leave_;
    shards::rounds<bool> busy_;
    shards::rounds<schedules_answer> schedules_;
    shards::rounds<std::vector<limit_state>> shares_;
};

}  // namespace errand
