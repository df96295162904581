#include "worker/burial.hpp"

#include "worker/on_dead.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>

namespace errand {

namespace asio = boost::asio;

burial::burial(worker_shared& shared, loop& home, deadlines& times, std::shared_ptr<active_task> attempt,
               decision decided)
    : shared_{shared},
      home_{home},
      times_{times},
      attempt_{std::move(attempt)},
      decided_{std::move(decided)} {}

void burial::begin(bool on_pool, std::function<void()> over) {
    set_deadline();
    auto done = [one = shared_from_this(), over = std::move(over)](const std::exception_ptr&) {
        if (one->timed::is_linked()) one->timed::unlink();
        one->cancel_.slot().clear();
        over();
    };
    auto work = tell(shared_from_this(), home_.tasks().now());
    // Without the task: its attempt has ended, and what this_task() gives is about an attempt.
    auto around = std::make_shared<const ambient>(ambient{.app = &shared_.app, .home = &home_});
    if (!on_pool) {
        asio::co_spawn(with_ambient(home_.executor(), std::move(around)), std::move(work),
                       asio::bind_cancellation_slot(cancel_.slot(), std::move(done)));
        return;
    }
    const asio::strand<asio::any_io_executor> strand{
        with_ambient(shared_.pool.get_executor(), std::move(around))};
    asio::co_spawn(asio::any_io_executor{strand}, std::move(work),
                   asio::bind_cancellation_slot(cancel_.slot(),
                                                asio::bind_executor(home_.executor(), std::move(done))));
}

void burial::stop() {
    // Kept: what ends at once takes its last owner along.
    const auto keep = shared_from_this();
    cancel_.emit(asio::cancellation_type::all);
}

// Again and again: of a run's items each is told of by a call of its own.
void burial::deadline_passed() {
    set_deadline();
    stop();
}

void burial::set_deadline() {
    const auto timeout = attempt_->terms.timeout;
    if (timeout > duration{0}) times_.add(*this, timeout, timed::clock::now());
}

awaitable<void> burial::tell(std::shared_ptr<burial> one, time_point now) {
    const auto& dead = *one->attempt_;
    const dead_task task{dead.task.id, dead.task.queue,     dead.body,
                         dead.terms,   one->decided_.notes, dead.started_at};
    auto& app = one->shared_.app;
    if (dead.bundle) co_await call_on_dead_of_items(app, *dead.known, *dead.bundle, task, now);
    co_await asio::this_coro::reset_cancellation_state();
    co_await call_on_dead(app, *dead.known, task, now);
}

}  // namespace errand
