// Tasks for programs that work over HTTP, and what they say of them: what many requests ask for leaves in few calls.
//
// It has a store object of its own, under whose name all these programs claim; one call looks for several who ask alike,
// as claim_together.hpp says. What it remembers of claimed tasks only saves
// reading them again: any service can take any report. Who waits costs an entry in a list; it is looked for tasks when the
// store says that there may be some, for the first who waits, and for the next ones as long as there are more.
//
// Invariant: what was claimed for somebody is given to him, or goes back to its queue as soon as he is known to be gone.
#pragma once

#include "runtime/async_gate.hpp"
#include "runtime/gate_check.hpp"
#include "runtime/loop.hpp"
#include "service/attempt.hpp"
#include "worker/caretaker.hpp"

#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace errand::web {

struct claim_group;

// One who asks for tasks, until he has them or has gone.
struct claim_order {
    claim_order(claim_wish asked, const boost::asio::any_io_executor& executor)
        : wish{std::move(asked)},
          queues{wish.queues, wish.strict},
          changed{executor, boost::asio::steady_timer::time_point::max()} {}

    const claim_wish wish;
    const queue_choice queues;
    std::vector<attempt> got{};
    std::exception_ptr failure{};
    bool tried = false;      // there was nothing for him
    bool under_way = false;  // a call looks for him
    bool gone = false;
    std::uint64_t number = 0;
    std::shared_ptr<claim_group> group{};
    boost::asio::steady_timer changed;
};

// Of one group: for whom one call looks.
using claim_party = std::vector<std::shared_ptr<claim_order>>;
// All that they ask for.
std::size_t limit_of(const claim_party& all);

// Those who ask for the same.
struct claim_group {
    std::string name{};
    std::vector<std::string> queues{};
    std::deque<std::shared_ptr<claim_order>> waiting{};
    std::size_t orders = 0;  // also those that are under way
    bool hungry = false;     // there may be something: it stands in the line of those
    bool plenty = false;     // the last call got all it asked for
    unsigned wakes = 0;      // how often it had been woken when that call began
    bool untold = false;     // one may stand in front who came back and was not told that there is nothing
};

// On its loop's thread only.
class exchange final : public store_listener, public std::enable_shared_from_this<exchange> {
public:
    exchange(detail::app_core& app, loop& home);
    ~exchange() override;

    // Connects at the first call; store_error when that fails.
    awaitable<void> ready();
    // After ready().
    store& tasks() noexcept { return *store_; }
    detail::app_core& app() noexcept { return app_; }

    // ---- claiming (exchange_orders.cpp) ----
    std::shared_ptr<claim_order> order(claim_wish wish);
    // Until it was looked for him once.
    awaitable<void> looked_for(std::shared_ptr<claim_order> one);
    // Until there are tasks for him, at most so long. Can be cancelled.
    awaitable<void> wait_for(std::shared_ptr<claim_order> one, duration longest);
    // What there is for him; he waits no more.
    awaitable<std::vector<attempt>> take(std::shared_ptr<claim_order> one);
    // He is gone, or has taken what there was.
    void leave(const std::shared_ptr<claim_order>& one);
    // Who was to have them has not got them: they were not begun.
    void give_back(const std::vector<attempt>& all);

    // ---- what is due later (exchange_due.cpp) ----
    // A task was put into this queue that falls due that long from now, although nobody takes from there yet.
    void will_be_due(const std::string& queue, duration in);
    // Makes ready what is due in these queues, whoever looked after them so far, and looks after them from now on. False: there
    // was nothing. After ready(). Throws store_error.
    awaitable<bool> make_due_ready(std::vector<std::string> queues);

    // ---- what is said of tasks ----
    // Of the task that is meant, if it was claimed here and is not reported; null: the store knows it.
    attempt* held(const task_id& id, const ticket& by);
    // The same, whoever asks.
    const attempt* held(const task_id& id) const;
    // What the store says of this report. Reports of one attempt come one after the other. Throws store_error.
    awaitable<report_verdict> hand_in(report one);
    // Nobody asks what the store says of it.
    void put(report one);
    // Those that ask for the same length while a call is under way go in one. Of the answer each has what is its own.
    awaitable<extend_answer> extend(extend_call call);
    // Hears, while it is there, of those of some tasks that others cancel, as far as they were claimed here.
    class cancel_watch {
    public:
        cancel_watch(std::shared_ptr<exchange> by, std::vector<task_id> of);
        ~cancel_watch();
        cancel_watch(const cancel_watch&) = delete;
        cancel_watch& operator=(const cancel_watch&) = delete;
        // Until one more is cancelled than it has told of, at most so long. Can be cancelled.
        awaitable<void> next(duration longest);

    private:
        friend exchange;
        std::shared_ptr<exchange> by_;
        std::vector<task_id> of_;
        boost::asio::steady_timer changed_;
        bool heard_ = false;
    };

    // What a report was answered with, as long as that is remembered: so that it is answered again although nothing is kept of
    // the task.
    struct answered_report {
        outcome_kind what = outcome_kind::success;
        state becomes = state::success;
    };
    void remember(const task_id& id, claim_number claim, answered_report said);
    const answered_report* answered(const task_id& id, claim_number claim) const;

    // Claims no more, gives back what nobody has got, ends. Before it is destroyed.
    awaitable<void> stop();

private:
    using attempt_key = std::pair<task_id, claim_number>;

    struct pending_report {
        explicit pending_report(const boost::asio::any_io_executor& executor) : changed{executor} {}
        report what;
        bool own = false;  // nobody waits for its verdict
        std::optional<report_verdict> verdict;
        std::exception_ptr failure;
        boost::asio::steady_timer changed;
    };
    // One who keeps tasks for longer.
    struct lease_request {
        explicit lease_request(const boost::asio::any_io_executor& executor)
            : changed{executor, boost::asio::steady_timer::time_point::max()} {}
        const std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
        extend_call call;
        extend_answer answer;
        std::exception_ptr failure;
        bool over = false;
        boost::asio::steady_timer changed;
    };
    struct lane_state {
        explicit lane_state(const boost::asio::any_io_executor& executor) : gate{executor} {}
        async_gate gate;
        bool waits = false;
    };

    void woken() override;
    void task_given(claimed_task task) override;
    void stands_aside() override;
    void task_cancelled(const task_id& id) override;
    void report_answered(const task_id& id, claim_number claim, report_verdict verdict) override;
    void reconnected() override;

    void start();
    awaitable<void> run(std::size_t lane, std::shared_ptr<exchange> self);
    awaitable<void> pass(std::size_t lane);
    awaitable<void> look_now_and_then(std::shared_ptr<exchange> self);
    awaitable<void> start_care(std::shared_ptr<exchange> self);
    awaitable<void> pass_on(std::shared_ptr<exchange> self);
    void look_for_others();
    void look();
    bool any_work() const;

    std::vector<std::shared_ptr<pending_report>> load(work_call& call);
    void add(const std::shared_ptr<pending_report>& one);
    void call_failed(const std::vector<std::shared_ptr<pending_report>>& sent, work_call& call,
                     const std::exception_ptr& why);
    void call_answered(const std::vector<std::shared_ptr<pending_report>>& sent, const work_answer& answer);
    void settle(const std::shared_ptr<pending_report>& one, report_verdict verdict);
    void forget_on_its_way(const std::shared_ptr<pending_report>& one);
    awaitable<void> extend_in_turn(std::shared_ptr<exchange> self);
    awaitable<void> extend_next();
    std::vector<std::shared_ptr<lease_request>> next_lease_requests();
    void keep_longer(const extend_call& call, time_point until);
    void let_go(const task_id& id, claim_number claim);

    claim_party next_party();
    awaitable<void> serve(claim_party all, work_answer answer, unsigned wakes_before,
                          std::uint64_t last_number);
    static void tell_waiting(claim_group& group, std::uint64_t last_number);
    void end_look(const std::shared_ptr<claim_order>& one, bool more);
    awaitable<void> adopt_for(claim_party all);
    void deal(const claim_party& all, std::vector<claimed_task> tasks);
    void take_in(claim_order& one, claimed_task task);
    void hold(const attempt& one);
    void give(claim_order& to, opened_attempt of, attempt one);
    std::shared_ptr<claim_order> other_taker(const opened_attempt& of, const attempt& one, duration lease);
    void make_hungry(const std::shared_ptr<claim_group>& group);
    void make_all_hungry();
    void make_sharers_hungry(const claim_group& of);
    void forget_old();

    detail::app_core& app_;
    loop& home_;
    boost::asio::any_io_executor executor_;
    std::unique_ptr<store> store_;
    std::unique_ptr<caretaker> care_;
    enum class opening : unsigned char { closed, under_way, open } state_ = opening::closed;
    std::exception_ptr open_failure_{};  // of the last try, for all who waited for it
    std::chrono::steady_clock::time_point open_failed_at_{};
    bool stopped_ = false;

    std::array<lane_state, store::work_lanes> lanes_;
    async_gate changed_;  // opened when something that is waited for may be so
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer tick_;
    std::size_t running_ = 0;  // lanes

    // Claiming.
    std::map<std::string, std::shared_ptr<claim_group>> groups_;
    std::deque<std::shared_ptr<claim_group>> hungry_;
    std::set<std::string> idle_in_;  // queues in which the store may wake it
    gate_check gates_;
    std::set<std::string> not_run_here_;  // handlers that nobody can run over HTTP
    std::uint64_t orders_ = 0;
    unsigned wakes_ = 0;
    unsigned asides_ = 1;                           // grows when tasks may stand aside
    std::map<std::string, unsigned> looked_aside_;  // by group: what it was when it was looked for them
    std::optional<time_point> told_due_;
    std::size_t claiming_ = 0;  // calls that look for somebody
    bool adopting_ = false;
    bool passing_on_ = false;

    // Reports.
    std::deque<std::shared_ptr<pending_report>> reports_;
    std::map<attempt_key, std::shared_ptr<pending_report>> on_their_way_;
    std::vector<claim_number> closed_;
    bool closes_now_ = false;
    std::deque<std::shared_ptr<lease_request>> lease_requests_;
    bool extending_ = false;
    std::unordered_multimap<task_id, cancel_watch*> cancel_watches_;

    // Claimed here.
    std::unordered_map<task_id, attempt> held_;
    std::size_t held_bytes_ = 0;
    std::unordered_map<claim_number, std::size_t>
        open_claims_;  // and how many of their tasks are not reported
    std::map<attempt_key, answered_report> answered_;
    std::deque<attempt_key> answered_first_;
};

}  // namespace errand::web
