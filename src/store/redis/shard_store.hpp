// The seam on one Redis shard. Each method builds one script call, makes it, and reads its reply; what is decided is
// decided in the scripts.
#pragma once

#include "core/clock_estimate.hpp"
#include "store/redis/caller.hpp"
#include "store/redis/claim_text.hpp"
#include "store/redis/keys.hpp"
#include "store/redis/queue_waits.hpp"
#include "store/redis/replies.hpp"
#include "store/redis/tallies.hpp"
#include "store/settings.hpp"
#include "store/store.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <set>

namespace errand::redis {

class shard_store final : public store, private connection_listener {
public:
    shard_store(boost::asio::io_context& on, store_settings settings);
    ~shard_store() override;
    shard_store(const shard_store&) = delete;
    shard_store& operator=(const shard_store&) = delete;

    awaitable<void> open() override;
    void close() override;
    void listen(store_listener* to) override { listener_ = to; }
    const std::string& name() const override { return settings_.name; }
    time_point now() const override;
    std::string_view claim_mark() const override { return process_mark().substr(1); }
    void know_claim(claim_number claim, std::string_view mark) override { strange_.know(claim, mark); }

    awaitable<std::vector<submit_answer>> submit(std::size_t lane, std::span<const submission_item> items,
                                                 submit_mode mode) override;
    awaitable<void> forget(std::span<const delivered_task> tasks) override;
    awaitable<work_answer> work(const work_call& call) override;
    awaitable<void> busy(std::span<const std::string> queues) override;
    awaitable<adopt_answer> adopt(const adopt_call& call) override;
    awaitable<extend_answer> extend(const extend_call& call) override;
    awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) override;
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override;
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override;
    awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) override;
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override;
    awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                      std::string_view expired_outcome) override;
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override;
    awaitable<std::size_t> clean(std::size_t limit) override;
    awaitable<std::size_t> trim(std::size_t most, std::size_t limit) override;
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override;
    awaitable<std::optional<found_task>> find(const task_id& id) override;
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override;
    awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                  std::span<const parent_task> parents) override;
    awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                            std::span<const task_id> parents) override;
    awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) override;
    awaitable<void> withdraw(const task_id& id, incarnation life) override;
    awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                             bool of_waiting) override;
    awaitable<news_answer> take_news(std::size_t limit, duration lease) override;
    awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                         std::string_view gathered) override;
    awaitable<void> delivered(std::span<const delivery> all) override;
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view encoded_notes, std::string_view other_body) override;
    awaitable<overview_answer> overview() override;
    awaitable<totals_answer> happened(int days) override;
    awaitable<std::vector<worker_card>> workers() override;
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override;
    awaitable<list_answer> list(const list_call& call) override;
    awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) override;
    awaitable<bool> pause(std::string_view queue) override;
    awaitable<bool> resume(std::string_view queue) override;
    awaitable<edit_verdict> edit(const edit_call& call) override;
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override;
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
    awaitable<std::vector<limit_state>> limits() override;
    awaitable<std::vector<gate_waiters>> waiting_at(std::string name, std::size_t most) override;
    awaitable<std::vector<limit_state>> limits_of(std::span<const std::string> names) override;
    awaitable<void> set_share(const std::string& name, std::uint64_t version, std::optional<limit_rule> share,
                              limit_rule whole) override;
    awaitable<lent_limits> lent(std::string_view worker) override;
    awaitable<bool> lend(const std::string& name, std::uint64_t seen, std::string record) override;
    bool any_settings() const override { return !settings_seen_.empty(); }
    awaitable<settings_of_shards> settings() override;
    awaitable<std::string> find_settings(std::string handler) override;
    awaitable<bool> set_settings(settings_step step) override;
    awaitable<quota_answer> take_quota(quota_ask ask) override;
    awaitable<request_answer> count_request(request_count of) override;
    awaitable<void> take_back_request(request_count of, std::int64_t mark) override;
    awaitable<void> add_figures(std::span<const handler_count> counts) override;
    awaitable<figures_answer> figures() override;

private:
    friend class shard_audit;

    // One call of it is in flight at a time; a repeat keeps the number, the next call takes the next one.
    struct lane {
        std::string name;
        std::uint64_t number = 0;
    };

    awaitable<std::vector<step_verdict>> step_some(std::span<const schedule_step> steps);
    // Takes apart what would hold up others if it went with a submission.
    awaitable<void> untangle(const task_id& id);
    bool all_registered(std::span<const submission_item> items) const;
    // Of a list that is a history list.
    std::optional<std::string> history_key(const task_list& of) const;
    awaitable<list_answer> list_running(const list_call& call);
    // Hashes and sets that grow with queues and workers are read in pages: one command over all would hold up others. What is
    // written meanwhile may be told or not.
    static constexpr std::size_t per_page = 1000;
    // `counts`, or those of its fields that match.
    awaitable<known_counts> counted(std::string_view operation, std::string_view fields = "*");
    awaitable<pairs> read_hash(std::string_view operation, std::string_view key, std::size_t some,
                               std::string_view fields = "*");
    awaitable<void> keep_tally();
    awaitable<std::set<std::string>> histories();
    awaitable<request_answer> count_or_take_back(const request_count& of, std::int64_t mark);
    // `minute`: whose tally stands in a field of minutes.
    awaitable<void> read_tallies(std::vector<std::string> fields, totals_answer& into, std::int64_t minute);
    enum class tried { written, held, strange };
    awaitable<tried> submit_new(std::size_t lane, std::span<const submission_item> items);
    awaitable<std::vector<submit_answer>> submit_apart(std::size_t lane,
                                                       std::span<const submission_item> items,
                                                       submit_mode mode);
    void forget_registered();

    void up() override;
    void down(std::string_view cause) override;
    void message(std::string_view payload) override;
    void hear(std::string_view payload);
    void hear_of_loss();
    void hear_of_settings(std::string_view version);

    boost::redis::request stamp() const;
    awaitable<void> check_server();
    void warn_once(const std::optional<std::string>& what);
    awaitable<void> check_stamp();
    // Makes the call; a script that needs the keys of more queues says so and is called again with them.
    awaitable<reply_head> ask(script_call& call, reply& answer, reply_reader& in,
                              caller::when_full full = caller::when_full::wait,
                              caller::when_strange strange = caller::when_strange::wait);
    awaitable<void> change_limit(std::string what, const std::string& name, std::string rule);
    awaitable<std::vector<limit_state>> list_limits(std::span<const std::string> numbers);
    awaitable<std::size_t> clean_lists(std::span<const std::string> members, std::size_t limit);
    awaitable<bool> sweep();
    awaitable<bool> sweep_page(std::string_view kind, std::string_view queue);
    void know(std::string_view queue);
    void wait_as(const claim_request& claim);
    // Queues of which it was told, in place of all.
    static bool may_ask_some(const work_call& asked);
    void look_ahead(work_answer& got, bool some);
    work_answer read_work(const reply_head& head, const work_call& asked, reply_reader& in);
    void name_known(script_call& call) const;
    static void begin(script_call& call, lane& of);
    lane& submit_lane(std::size_t at);

    boost::asio::io_context* on_;
    store_settings settings_;
    address address_;
    keys keys_;
    caller caller_;
    seen_claims seen_;
    strange_claims strange_;
    store_listener* listener_ = nullptr;
    bool was_up_ = false;
    bool may_be_idle_ = true;  // the worker may stand in idle sets
    std::string waits_as_;     // in them
    queue_waits waits_;
    std::optional<time_point> due_;  // next, as the last claim of all queues said
    duration given_lease_{};         // of tasks that are handed over
    std::string lane_stem_;
    std::deque<lane> submit_lanes_;
    std::array<lane, work_lanes> work_lanes_;
    unsigned held_lately_ = 0;  // so many submissions of biz_ids are not tried as new ones
    lane recover_lane_;
    lane adopt_lane_;
    lane yield_lane_;
    std::set<std::string, std::less<>>
        registered_;  // queues, since the connection was made or the data was lost
    time_point registered_since_{};
    unsigned times_forgotten_ = 0;
    std::vector<std::string> known_queues_;  // where a task is looked for first
    std::string settings_seen_;              // their version
    std::string made_in_;                    // the format of the shard; empty: not known yet
    // Which server said last what happens at limits, and how they are shared out: a fail-over may take back what that rests on.
    std::string asked_server_, record_server_;
    time_point next_sweep_{};
    clock_estimate clock_;
};

}  // namespace errand::redis
