// What one thread of a worker has for one namespace: all that it needs to run that namespace's tasks, but for the slots, which
// the namespaces of a thread share.
#pragma once

#include "worker/adopter.hpp"
#include "worker/executor.hpp"
#include "worker/fetcher.hpp"
#include "worker/slot_shares.hpp"

#include <functional>

namespace errand {

// On its loop's thread only, where nothing else is said.
class station final : public store_listener {
public:
    // `shares`: null where the thread serves no other namespace; then `whose` is nothing. `changed`: told when it may have come to
    // rest. `on` outlives it, and whoever closes it says so first.
    station(worker_shared& shared, loop& on, slot_pool& slots, slot_shares* shares, std::size_t whose,
            std::function<void()> changed);
    ~station() override;

    void start();
    // Slots may be there for it.
    void look();
    void stop_claiming();
    void stop_running() { executor_.stop_running(); }
    // Tells the store that this worker claims no more, and `done` when it has answered or cannot.
    void leave(std::function<void()> done);
    // Nothing runs and nothing waits to be started.
    bool is_idle() const noexcept { return executor_.idle(); }
    // All is reported, and no call under way.
    bool is_quiet() const noexcept { return fetcher_.idle() && adopter_.idle(); }
    void close();

    // From any thread: tasks stand aside whose handlers it knows.
    void told_aside();
    // From any thread.
    leased_tasks& leased() noexcept { return leased_; }
    std::size_t running() const noexcept { return executor_.running(); }
    std::size_t reports_pending() const noexcept { return reporter_.pending(); }
    loop& home() noexcept { return home_; }
    executor& runs() noexcept { return executor_; }
    const executor& runs() const noexcept { return executor_; }
    detail::app_core& app() const noexcept { return shared_.app; }

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
        changed_();
    }

    static awaitable<void> say_farewell(worker_shared& shared, loop& home);

    worker_shared& shared_;
    loop& home_;
    slot_share share_;
    std::function<void()> changed_;
    leased_tasks leased_;
    reporter reporter_;
    fetcher fetcher_;
    adopter adopter_;
    executor executor_;
};

}  // namespace errand
