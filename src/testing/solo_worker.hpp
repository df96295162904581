// A worker that has no thread and runs one attempt after the other: every step is made by whoever holds it. It is made of the
// parts that every worker is made of; what it leaves out is what others do to it: leases, heartbeats, recovery.
//
// Invariant: between two calls nothing can go on by itself. What there is waits for the clock, for a task that has not run,
// or for something outside of errand.
#pragma once

#include "runtime/manual_time.hpp"
#include "worker/executor.hpp"
#include "worker/janitor.hpp"
#include "worker/promoter.hpp"
#include "worker/resolver.hpp"
#include "worker/scheduler.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <unordered_map>

namespace errand::testing {

class solo_worker final : public store_listener {
public:
    using condition = std::function<bool()>;

    // `rests`: which of its handlers wait for nothing but the clock.
    solo_worker(detail::app_core& app, const manual_time& rests);
    // What still runs is told to stop; what does not is left where it stands.
    ~solo_worker() override;

    loop& home() noexcept { return home_; }
    // Begins on the home loop, under the app; `done` is called there at its end.
    void spawn(awaitable<void> work, boost::asio::cancellation_slot until,
               std::function<void(std::exception_ptr)> done);
    // Runs a call of the store to its end and returns its answer.
    template <class T>
    T answer_of(awaitable<T> call) {
        std::optional<T> answer;
        run(keep(std::move(call), answer));
        return std::move(*answer);
    }

    // Goes on with whatever can, until `enough` or until nothing can. Operations of a running handler are waited for.
    void go_on(const condition& enough);
    // Starts the first of all tasks that are due and goes on as above. False: there is none, or it was enough before.
    bool run_next(const condition& enough);
    // Waits for something outside of errand.
    void wait_outside() { home_.context().run_one(); }
    // When something will fall due, expire or time out next; never now.
    struct moments {
        std::optional<time_point> first{};
        std::optional<time_point> beside_schedules{};  // but for ticks, and the tasks that they make
    };
    moments next_moment();
    // The app's clock was moved.
    void time_moved();
    // Deletes what is no longer kept.
    void clean();

    // How many attempts were started so far.
    std::size_t started() const noexcept { return *started_; }
    // How many tasks were claimed that no schedule has made.
    std::size_t claimed_beside_schedules() const noexcept { return claimed_beside_schedules_; }
    // Which end this was, counted from the first; 0 when it was no attempt that ended the task.
    std::size_t place_of_end(const task_id& id) const;

    // The tasks of each list of this state in its order, as long as `goes_on`.
    using page_end = std::function<bool(const found_task&)>;
    awaitable<std::vector<found_task>> tasks_in(state where, page_end goes_on);

private:
    void news_came() override { news_ = true; }
    void stands_aside() override { aside_ = true; }
    void reconnected() override {
        news_ = true;
        executor_.reconnected();
    }
    void may_go_on(const task_id& id) override { executor_.may_go_on(id); }
    void task_cancelled(const task_id& id) override { executor_.cancelled(id); }

    template <class T>
    static awaitable<void> keep(awaitable<T> call, std::optional<T>& answer) {
        answer.emplace(co_await std::move(call));
    }
    // A handler runs that waits neither for a task nor for the clock.
    bool busy() const { return slots_.taken() > rests_.waiting(); }
    void run(awaitable<void> call);
    bool deliver();
    awaitable<void> report();
    awaitable<work_answer> claim(std::string queue);
    // The first of those that stand aside, since their handler was paused.
    awaitable<adopt_answer> adopt();
    bool adopt_next(const condition& enough);
    // Returns the queue of the task; usage_error when its handler cannot be built.
    std::string check_beans(const found_task& task) const;

    // ---- what comes first (solo_order.cpp) ----
    awaitable<void> make_ready();
    awaitable<std::optional<list_item>> first_open(const task_list& list);
    awaitable<std::optional<found_task>> first_ready();
    awaitable<moments> first_change();

    const manual_time& rests_;
    boost::asio::thread_pool no_pool_{0};
    worker_shared shared_;
    loop home_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_;
    std::shared_ptr<std::size_t> started_ = std::make_shared<std::size_t>(0);
    leased_tasks leased_;
    slot_pool slots_;
    reporter reporter_;
    executor executor_;
    promoter promoter_;
    resolver resolver_;
    janitor janitor_;
    scheduler scheduler_;
    std::unordered_map<task_id, std::size_t> ends_;
    std::size_t last_end_ = 0;
    std::size_t claimed_beside_schedules_ = 0;
    bool aside_ = true;  // some may stand aside
    bool news_ = true;   // who asked once hears of the next ones
};

}  // namespace errand::testing
