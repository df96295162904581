// What a worker does beside its tasks, on a thread and a connection of its own.
#pragma once

#include "worker/loop_thread.hpp"
#include "worker/role.hpp"
#include "worker/worker_thread.hpp"

#include <chrono>
#include <memory>
#include <span>
#include <vector>

namespace errand {

class figures_sender;
class heartbeat;
class limits_watch;
class promoter;
class recoverer;
class resolver;
class scheduler;

class maintenance_thread final : public store_listener {
public:
    maintenance_thread(worker_shared& shared, std::span<const std::unique_ptr<worker_thread>> threads);
    ~maintenance_thread() override;

    void start_thread() { thread_.start(); }
    loop& home() noexcept { return thread_.home(); }
    // On its own loop: connects and begins all rounds.
    awaitable<void> open();
    // From any thread: shows that this worker is there still, but takes no more tasks.
    void stopping();
    // On its own loop: no new rounds; out of the list of workers.
    awaitable<void> leave();
    // Not from its own loop.
    void close();
    // From any thread: see worker_shared::falls_due.
    void falls_due(duration in);
    // From any thread: a lease was taken that ends that long from now, which is sooner than those of workers do.
    void lease_ends(duration in);
    // From any thread: worker_shared::beside has grown.
    void has_more_to_do();

private:
    void woken() override;
    void news_came() override;
    void schedules_changed() override;
    void stands_aside() override;
    void reconnected() override {
        news_came();
        schedules_changed();
        limits_may_be_lost();
    }
    void limits_may_be_lost();
    // Whether the call was answered in time; else it is given up.
    awaitable<bool> ends_within(awaitable<void> call, std::chrono::seconds most);

    // What is set of handlers at run time is another.
    void settings_are_new();

    worker_shared& shared_;
    std::vector<std::string> taken_;  // whose tasks it took when they stood aside
    std::span<const std::unique_ptr<worker_thread>> threads_;
    loop_thread thread_;
    std::vector<std::unique_ptr<role>> roles_;
    heartbeat* heartbeat_ = nullptr;  // among them
    promoter* promoter_ = nullptr;
    resolver* resolver_ = nullptr;
    recoverer* recoverer_ = nullptr;
    scheduler* scheduler_ = nullptr;
    limits_watch* limits_watch_ = nullptr;
    figures_sender* figures_sender_ = nullptr;
};

}  // namespace errand
