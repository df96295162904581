// One thread of the worker with all it needs to run tasks: nothing in it is shared but what its members'
// headers say.
#pragma once

#include "worker/adopter.hpp"
#include "worker/executor.hpp"
#include "worker/fetcher.hpp"
#include "worker/loop_thread.hpp"

namespace errand {

class worker_thread final : public store_listener {
public:
    worker_thread(worker_shared& shared, std::size_t slots);
    ~worker_thread() override;

    void start_thread() { thread_.start(); }
    // On its own loop: connects and begins to claim.
    awaitable<void> open();
    // From any thread: claims no more, lets what runs go on for the grace, gives the rest back.
    void begin_to_drain();
    // On its own loop: completes when all has ended and is reported.
    awaitable<void> drained();
    // From any thread: the grace is over.
    void hurry();
    // From any thread: tasks stand aside whose handlers it knows.
    void told_aside();
    // After drain(), not from its own loop.
    void close();

    loop& home() noexcept { return thread_.home(); }
    leased_tasks& leased() noexcept { return leased_; }
    executor& runs() noexcept { return executor_; }
    std::size_t running() const noexcept { return executor_.running(); }

private:
    void woken() override { fetcher_.woken(); }
    void task_given(claimed_task task) override { fetcher_.given(std::move(task)); }
    void stands_aside() override { adopter_.told(); }
    void may_go_on(const task_id& id) override { executor_.may_go_on(id); }
    void reconnected() override {
        executor_.reconnected();
        fetcher_.woken();
        adopter_.told();
    }
    void task_cancelled(const task_id& id) override { executor_.cancelled(id); }
    void report_answered(const task_id& id, claim_number claim, report_verdict verdict) override {
        reporter_.answered(id, claim, verdict);
        fetcher_.look();
        changed_.open();
    }

    static awaitable<void> leave(worker_shared& shared, loop& home);
    awaitable<void> drain();
    void leave_soon();
    void set_grace(duration length);

    worker_shared& shared_;
    loop_thread thread_;
    leased_tasks leased_;
    slot_pool slots_;
    reporter reporter_;
    fetcher fetcher_;
    adopter adopter_;
    executor executor_;
    async_gate changed_;
    boost::asio::steady_timer grace_;
    boost::asio::steady_timer patience_;
    bool left_ = false;
    bool hurry_ = false;
    bool drained_ = false;
};

}  // namespace errand
