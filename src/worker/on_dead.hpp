// Telling handlers that tasks of theirs are dead, before the store hears of it: so that they hear of it at least once.
//
// Invariant of the queue: a task is reported as soon as its on_dead() has returned, and until then its lease is extended. So however long
// handlers take, others do not take the tasks over to tell them again.
#pragma once

#include "core/attempt_rules.hpp"
#include "runtime/handlers.hpp"
#include "store/store.hpp"
#include "worker/bundle_run.hpp"
#include "worker/worker_shared.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string_view>

namespace errand {

struct dead_task {
    const task_id& id;
    std::string_view queue;
    const task_body& body;
    const attempt_terms& terms;
    const task_notes& notes;
    std::optional<time_point> started_at;
};

// Whether the handler wants to hear of it.
bool has_on_dead(const known_handler* handler) noexcept;
// Calls on_dead with the task as it will be stored. What it throws is logged: the task is dead whatever it
// says.
// What is given by reference must outlive the call.
awaitable<void> call_on_dead(detail::app_core& app, const known_handler& handler, const dead_task& task,
                             time_point now);
// The same with each item of a run that is dead.
awaitable<void> call_on_dead_of_items(detail::app_core& app, const known_handler& handler,
                                      const bundle_run& items, const dead_task& whole, time_point now);

// ---- of tasks that died without a worker of their own ----

// A task that was taken over, and is dead by this decision.
struct lost_task {
    claimed_task task;
    task_body body;
    const known_handler* known = nullptr;
    attempt_terms terms;
    decision decided;
    std::shared_ptr<const bundle_run> items{};  // of a run over collected ones, once they are read
};

// Calls on_dead() of one after the other. On its executor's thread only; handlers run on the pool.
class on_dead_queue {
public:
    // The lane of the store's in which it reports.
    static constexpr std::size_t lane = 1;

    on_dead_queue(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in);

    // All other tasks under its claim were reported before, or are added as well.
    void add(lost_task lost);
    bool empty() const noexcept { return waiting_.empty(); }
    // Those that were not called yet are left to others; the one that is called is told to stop.
    void stop();

private:
    awaitable<void> run();
    awaitable<void> read_items(lost_task& lost);
    awaitable<void> call_first(std::shared_ptr<const lost_task> lost);
    static awaitable<void> call(detail::app_core& app, std::shared_ptr<const lost_task> lost,
                                std::shared_ptr<boost::asio::cancellation_signal> kept, time_point now);
    awaitable<void> extend();
    awaitable<void> report(const lost_task& lost);

    worker_shared& shared_;
    boost::asio::any_io_executor executor_;
    store& in_;
    std::deque<std::shared_ptr<lost_task>> waiting_;              // the first one is being called
    std::shared_ptr<boost::asio::cancellation_signal> cancel_{};  // of the call that is made
    std::vector<std::shared_ptr<boost::asio::cancellation_signal>>
        left_behind_;  // of calls that go on for ever
    boost::asio::steady_timer timer_;
    boost::asio::steady_timer::time_point extend_at_;
    bool runs_ = false;
    bool stopped_ = false;
};

}  // namespace errand
