// What a worker does for one namespace beside its tasks, on a connection of its own.
#pragma once

#include "worker/late_start.hpp"
#include "worker/role.hpp"
#include "worker/station.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace errand {

class figures_sender;
class heartbeat;
class limits_watch;
class promoter;
class recoverer;
class resolver;
class scheduler;

class duties final : public store_listener {
public:
    // `stations`: where the tasks of this namespace run; they and the loop outlive it. `blocking`: which of its tasks keep a thread
    // to themselves; called on its loop.
    duties(worker_shared& shared, loop& on, std::vector<station*> stations,
           std::function<std::vector<std::string>()> blocking);
    ~duties() override;

    loop& home() noexcept { return home_; }
    worker_shared& shared() noexcept { return shared_; }
    // On its own loop, whose store is open: begins all rounds.
    void begin();
    // On its own loop: what the start has left out.
    void make_good(late_work what) { late_start_->take(std::move(what)); }
    // From any thread: shows that this worker is there still, but takes no more tasks.
    void stopping();
    // On its own loop: no new rounds; out of the list of workers.
    awaitable<void> leave();
    // Nobody tells of settings any more. From any thread.
    void hear_no_more();
    // On its own loop, for good.
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
    loop& home_;
    const std::vector<station*> stations_;
    const std::function<std::vector<std::string>()> blocking_;
    std::vector<std::string> taken_;  // whose tasks it took when they stood aside
    std::vector<std::unique_ptr<role>> roles_;
    heartbeat* heartbeat_ = nullptr;  // among them
    promoter* promoter_ = nullptr;
    resolver* resolver_ = nullptr;
    recoverer* recoverer_ = nullptr;
    scheduler* scheduler_ = nullptr;
    limits_watch* limits_watch_ = nullptr;
    late_start* late_start_ = nullptr;
    figures_sender* figures_sender_ = nullptr;
};

}  // namespace errand
