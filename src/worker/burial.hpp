// A task that has died here, while its handler hears of it: it is not reported before on_dead() has ended.
//
// However long that takes, its lease is kept. on_dead() is told to stop after the handler's timeout, and when the worker is in a
// hurry; it goes on as long as it does not heed that, as an attempt does.
#pragma once

#include "runtime/loop.hpp"
#include "worker/active_task.hpp"
#include "worker/deadlines.hpp"
#include "worker/worker_shared.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <functional>
#include <memory>

namespace errand {

// On its loop's thread only; the handler may be on the pool.
class burial final : public timed, public std::enable_shared_from_this<burial> {
public:
    burial(worker_shared& shared, loop& home, deadlines& times, std::shared_ptr<active_task> attempt,
           decision decided);

    // Calls on_dead, and `over` once all that is to be told has been.
    void begin(bool on_pool, std::function<void()> over);
    // Tells on_dead to stop.
    void stop();

    active_task& attempt() noexcept { return *attempt_; }
    decision take_decision() noexcept { return std::move(decided_); }

private:
    void deadline_passed() override;
    void set_deadline();
    static awaitable<void> tell(std::shared_ptr<burial> one, time_point now);

    worker_shared& shared_;
    loop& home_;
    deadlines& times_;
    std::shared_ptr<active_task> attempt_;
    decision decided_;
    boost::asio::cancellation_signal cancel_;
};

}  // namespace errand
