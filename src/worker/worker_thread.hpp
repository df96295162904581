// One thread of the worker with all it needs to run tasks: nothing in it is shared but what its members'
// headers say.
#pragma once

#include "worker/loop_thread.hpp"
#include "worker/slot_shares.hpp"
#include "worker/station.hpp"

#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace errand {

class worker_thread {
public:
    // `served`: the namespaces.
    worker_thread(const worker_shares& served, std::size_t slots);
    ~worker_thread();

    void start_thread() { thread_.start(); }
    // On its own loop: connects to all stores at the same time.
    awaitable<void> connect();
    // Then, on its own loop: begins to claim.
    void begin();
    // From any thread, before it has begun: connecting ends now, with store_error.
    void disconnect() { thread_.disconnect(); }
    // From any thread: claims no more, lets what runs go on for the grace, gives the rest back.
    void begin_to_drain();
    // On its own loop: completes when all has ended and is reported.
    awaitable<void> drained();
    // From any thread: the grace is over.
    void hurry();
    // After drain(), not from its own loop.
    void close();

    // The first of its loops.
    loop& home() noexcept { return thread_.home(); }
    // From any thread, see loop_thread.
    pid_t system_id() const noexcept { return thread_.system_id(); }
    // Of this namespace, in the order in which they were given.
    station& serving(std::size_t which) noexcept { return stations_[which]; }
    // From any thread.
    std::size_t running() const noexcept;
    // From any thread: ends of attempts that the store has not confirmed.
    std::size_t reports_pending() const noexcept;
    // From any thread: whose handler runs there and has not waited for anything yet, as the beginning of an event about it, and of
    // which namespace it is; null and an event of no task where there is none.
    std::pair<detail::app_core*, event> beginning(event_kind about) const;
    // On its own loop: some of those that run, in words.
    std::string some_running() const;

private:
    awaitable<void> drain();
    void leave_soon();
    void set_grace(duration length);
    bool is_idle() const;
    bool is_quiet() const;

    worker_shared& shared_;  // of the first namespace
    loop_thread thread_;
    slot_pool slots_;
    std::unique_ptr<slot_shares> shares_;  // null where there is one namespace
    std::deque<station> stations_;
    async_gate changed_;
    boost::asio::steady_timer grace_;
    boost::asio::steady_timer patience_;
    std::size_t staying_ = 0;  // namespaces whose store has not heard yet that this worker claims no more
    bool hurry_ = false;
    bool drained_ = false;
};

}  // namespace errand
