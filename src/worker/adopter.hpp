// Takes tasks that stand aside: whoever claimed them does not know their handler, and this worker does.
//
// They are asked for when the store says that there may be some, so a fleet whose workers all know the same pays nothing.
// What could not be taken for want of a slot is not forgotten: it is asked for again when one is free.
#pragma once

#include "runtime/async_gate.hpp"
#include "worker/executor.hpp"
#include "worker/role.hpp"
#include "worker/slot_shares.hpp"
#include "worker/worker_shared.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>

namespace errand {

// On its loop's thread only.
class adopter {
public:
    // `settled`: told after each call, when its slots were taken or are free again.
    adopter(worker_shared& shared, loop& home, slot_share slots, std::function<void()> settled);

    // Set once, before start().
    void feeds(executor& to) noexcept { executor_ = &to; }
    void start();
    // Some may stand aside for this worker.
    void told();
    // Slots may have become free.
    void look();
    void stop_claiming();
    // After the store was closed.
    void stop();
    bool idle() const noexcept { return !in_flight_; }

private:
    awaitable<void> run();
    awaitable<void> pass();
    void tell_wish();
    bool wanted() const { return hungry_ && claims_ && slots_.free() > 0; }

    worker_shared& shared_;
    loop& home_;
    slot_share slots_;
    std::function<void()> settled_;
    executor* executor_ = nullptr;
    async_gate gate_;
    boost::asio::steady_timer pause_;
    bool hungry_ = true;  // what stood aside before this worker came is told by nobody
    bool claims_ = true;
    bool in_flight_ = false;
    bool stopped_ = false;
    bool resting_ = false;  // after a failure
};

// Looks now and then whether tasks stand aside for this worker: what it was told may have been lost on the way.
class aside_watch final : public role {
public:
    // `found`: told when there are some.
    aside_watch(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in,
                std::function<void()> found);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    worker_shared& shared_;
    store& in_;
    std::function<void()> found_;
    bool any_ = false;
};

}  // namespace errand
