// The thread on which a worker does what it does beside its tasks: the duties of each namespace, and what watches all.
#pragma once

#include "worker/duties.hpp"
#include "worker/line_watch.hpp"
#include "worker/loop_thread.hpp"
#include "worker/loop_watch.hpp"
#include "worker/worker_thread.hpp"

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace errand {

class maintenance_thread {
public:
    maintenance_thread(const worker_shares& served, std::span<const std::unique_ptr<worker_thread>> threads);
    ~maintenance_thread();

    void start_thread() { thread_.start(); }
    // The first of its loops.
    loop& home() noexcept { return thread_.home(); }
    // On its own loop: connects to all stores at the same time, and declares the limits where nobody else does.
    awaitable<void> connect();
    // Then, on its own loop: begins all rounds.
    void begin();
    // From any thread, before it has begun: connecting ends now, with store_error.
    void disconnect() { thread_.disconnect(); }
    // On its own loop: no new rounds; out of the lists of workers.
    awaitable<void> leave();
    // Calls it for each namespace, under the ambient of its core on its own loop, one after the other; again later where it has
    // left something out. From any executor.
    awaitable<void> in_each(late_work what);
    // Calls it for that namespace, later, until nothing is left out. From any executor.
    awaitable<void> make_good(detail::app_core& of, late_work what);
    // Not from its own loop.
    void close();

private:
    // Over all namespaces.
    std::array<role*, 2> watches() noexcept { return {&loops_, &lines_}; }

    loop_thread thread_;
    loop_watch loops_;
    line_watch lines_;
    std::deque<duties> duties_;
};

}  // namespace errand
