#include "service/dead_call.hpp"

#include "worker/announce.hpp"
#include "worker/on_dead.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand::web {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

// Of its own, since the call may outlive who waits for it.
struct dead_call {
    dead_call(const asio::any_io_executor& executor, opened_attempt opened, attempt made, task_notes kept)
        : changed{executor}, of{std::move(opened)}, one{std::move(made)}, notes{std::move(kept)} {}

    asio::steady_timer changed;
    asio::cancellation_signal stop;
    const opened_attempt of;
    const attempt one;
    const task_notes notes;
    bool over = false;
};

awaitable<void> call_it(detail::app_core& app, std::shared_ptr<const dead_call> it, time_point now) {
    const dead_task dead{it->one.task.id, it->one.task.queue, it->of.body,
                         it->of.terms,    it->notes,          it->one.at};
    co_await call_on_dead(app, *it->of.known, dead, now);
}

// False: the task is no longer under this claim.
awaitable<bool> extend_claim(exchange& work, task_id id, claim_number claim) {
    extend_call call;
    call.claims = {claim};
    call.tasks = {{id, claim}};
    call.lease = work.app().settings.lease;
    // Who took the task may have taken others with it, for longer.
    call.never_shorter = true;
    try {
        const auto heard = co_await work.extend(std::move(call));
        co_return heard.lost_claims.empty() && heard.lost_tasks.empty();
    } catch (...) {
        announce_failure(work.app(), "keeping a dead task until its handler has heard of it",
                         std::current_exception());
    }
    co_return true;
}

}  // namespace

awaitable<void> tell_handler(exchange& work, const opened_attempt& of, const attempt& one, const judged& done,
                             time_point now) {
    if (done.kind != verdict::bury || !has_on_dead(of.known)) co_return;
    const auto executor = co_await asio::this_coro::executor;
    const auto it = std::make_shared<dead_call>(executor, of, one, done.notes);
    asio::co_spawn(executor, call_it(work.app(), it, now),
                   asio::bind_cancellation_slot(it->stop.slot(), [it](const std::exception_ptr&) {
                       it->over = true;
                       it->changed.cancel();
                   }));
    // What waits for nothing needs no longer lease. Of another one nobody knows here how much of it is left.
    co_await asio::post(executor, asio::use_awaitable);
    const auto timeout = of.terms.timeout;
    auto enough = timeout > duration{0} ? steady::now() + timeout : steady::time_point::max();
    auto extend_at = steady::now();
    while (!it->over) {
        const auto at = steady::now();
        if (at >= extend_at) {
            const bool held = co_await extend_claim(work, one.task.id, one.task.claim);
            extend_at = held ? steady::now() + work.app().settings.lease / 3 : steady::time_point::max();
            continue;
        }
        if (at >= enough) {
            enough = at + timeout;
            it->stop.emit(asio::cancellation_type::all);
            continue;
        }
        it->changed.expires_at(std::min(extend_at, enough));
        co_await it->changed.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

}  // namespace errand::web
