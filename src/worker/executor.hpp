// Runs claimed tasks: from a body's bytes to a handler's coroutine, from its end to a report.
//
// Invariant: every task taken ends in exactly one report. An attempt keeps its slot until its coroutine has
// ended, however it was cancelled.
#pragma once

#include "runtime/gate_check.hpp"
#include "runtime/loop.hpp"
#include "worker/active_task.hpp"
#include "worker/attempt_counts.hpp"
#include "worker/attempt_tally.hpp"
#include "worker/burial.hpp"
#include "worker/deadlines.hpp"
#include "worker/gate_yielder.hpp"
#include "worker/leased_tasks.hpp"
#include "worker/reporter.hpp"
#include "worker/slot_pool.hpp"
#include "worker/worker_shared.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace errand {

// On its loop's thread only, but for running().
class executor {
public:
    executor(worker_shared& shared, loop& home, slot_pool& slots, leased_tasks& leased, reporter& to,
             std::function<void()> something_changed);
    ~executor();

    // Claimed tasks, each with a slot taken.
    void take(std::vector<claimed_task> tasks);
    // One with a slot taken that is to be given back, unstarted.
    void decline(claimed_task task);
    // From outside. This task was cancelled.
    void cancelled(const task_id& id);
    // Its lease is lost, as long as it runs under this claim: it may have been claimed again since.
    void lost(const task_id& id, claim_number claim);
    // All leases of the claim are.
    void lost(claim_number claim);

    // What has not started is given back, now and from now on.
    void stop_starting();
    // Tells all that run to stop: what then ends by an exception is given back.
    void stop_running();
    // Deadlines pass in real time. Where the app's clock is moved by hand they pass by that one too: the first of those
    // that run, and what is to be told of each step.
    std::optional<time_point> first_deadline() const;
    void time_moved_to(time_point now);
    // No deadline passes any more, and nobody waits for gates.
    void close() {
        deadlines_.stop();
        gates_.stop();
    }
    // From outside. This task may hold its gates again; or anything of that may have been missed.
    void may_go_on(const task_id& id) { gates_.look(id); }
    void reconnected() { gates_.look_at_all(); }
    // Nothing runs and nothing waits to be started.
    bool idle() const noexcept { return live_.empty() && waiting_.empty() && burials_.empty(); }
    std::size_t running() const noexcept { return running_.load(std::memory_order_relaxed); }
    // From any thread: whose handler runs there and has not waited for anything yet; as the beginning of an event about it.
    std::optional<event> beginning(event_kind about) const;
    // Some of those that run, in words.
    std::string some_running() const;

    // What became of the attempts since this was asked last.
    figures_by_handler take_figures() { return tally_.take(); }

    // ---- for active_task ----
    detail::app_core& app() noexcept { return shared_.app; }
    loop& home() noexcept { return home_; }
    slot_pool& slots() noexcept { return slots_; }
    gate_yielder& gates() noexcept { return gates_; }
    void slot_is_free();
    void one_more_waits();
    void one_less_waits();
    void deadline_passed(active_task& attempt);

private:
    struct claimed_entry {
        claimed_task task;
        leased_tasks::index leased_at;
        std::optional<attempt_end> over;  // it does not start
    };
    using live_list = boost::intrusive::list<active_task, boost::intrusive::base_hook<live_hook>>;

    // Attempts that run one after the other in the same coroutine.
    struct turns;

    // Runs on the pool.
    bool apart(const active_task& attempt) const;
    void start_some();
    // The next one to run here; null: none is left that does, or others are to have their turn first.
    std::shared_ptr<active_task> next_here();
    // Null: it has ended without having run, or it runs on the pool.
    std::shared_ptr<active_task> start(claimed_entry&& entry);
    // Throws when it cannot run; says how an attempt that must not run has ended.
    std::optional<attempt_end> prepare(active_task& attempt, std::optional<attempt_end> over);
    void set_terms(active_task& attempt);
    // What was set meanwhile counts for what follows from its end.
    void renew_terms(active_task& attempt);
    void launch(active_task& attempt);
    void run_here(std::shared_ptr<active_task> first);
    awaitable<void> run_in_turn(std::shared_ptr<turns> shared);
    void run_apart(active_task& attempt);
    void show_as_beginning(const active_task* one);
    awaitable<std::string> call(active_task& attempt);
    awaitable<std::string> call_with_result(active_task& attempt);
    awaitable<std::string> call_bundle(active_task& attempt);
    awaitable<std::string> call_handler(active_task& attempt);
    awaitable<void> tell_dead_items(const active_task& attempt, const std::vector<item_end>& ends,
                                    time_point now);
    void collect(active_task& attempt);
    void regroup(active_task& attempt);
    void stop(active_task& attempt, attempt_end why);
    // What is true of `is_it` is no longer this worker's to run.
    void withdraw(event_kind why, const std::function<bool(const claimed_task&)>& is_it);
    // What is told of an attempt.
    event said_of(event_kind kind, const active_task& attempt) const;
    void tell_started(active_task& attempt);
    void ended(active_task& attempt, std::exception_ptr failure, std::string result);
    void finish(active_task& attempt, attempt_end how, const std::exception_ptr& failure, std::string result);
    void bury(std::shared_ptr<active_task> attempt, decision decided);
    void buried(burial& one);
    // Reports an attempt that goes on and on; when it ends nothing more is said of it.
    void give_up(active_task& attempt);
    // `now`: by the store's clock, when it ended.
    void hand_in(active_task& attempt, decision&& decided, std::string result, time_point now);
    void leave(active_task& attempt);
    void tell(const active_task& attempt, const decision& decided, time_point now);
    void tell_start(const active_task& attempt);
    void count_end(event_kind kind, const active_task& attempt, time_point now);
    void count(const active_task& attempt, const decision& decided, time_point now);

    worker_shared& shared_;
    loop& home_;
    slot_pool& slots_;
    leased_tasks& leased_;
    reporter& reporter_;
    std::function<void()> something_changed_;
    deadlines deadlines_;
    gate_yielder gates_;
    gate_check gate_check_;
    attempt_tally tally_;
    std::optional<attempt_counts> counts_;  // from the first start on that is counted
    const known_handler* last_known_ = nullptr;
    std::deque<claimed_entry> waiting_;  // to be started
    live_list live_;
    std::vector<std::shared_ptr<burial>> burials_;
    std::atomic<std::size_t> running_{0};
    bool starts_ = true;
    bool starting_ = false;  // a continuation of start_some is posted
    std::chrono::steady_clock::time_point
        start_until_{};  // of the call of start_some; none before its first task
    mutable std::mutex beginning_guard_;
    const active_task* beginning_ = nullptr;
};

}  // namespace errand
