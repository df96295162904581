#include "worker/on_dead.hpp"

#include <errand/error.hpp>

#include "runtime/ambient.hpp"
#include "runtime/stored_info.hpp"
#include "worker/announce.hpp"
#include "worker/attempt_report.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

task_info info_of_dead(const dead_task& task, time_point now) {
    auto info = info_of(task.id, task.body, task.notes);
    info.state = state::dead;
    info.queue = std::string{task.queue};
    info.max_retry = task.terms.max_retry;
    info.started_at = task.started_at;
    info.finished_at = now;
    return info;
}

}  // namespace

bool has_on_dead(const known_handler* handler) noexcept {
    return handler && handler->code && handler->code->on_dead;
}

awaitable<void> call_on_dead(detail::app_core& app, const known_handler& handler, const dead_task& task,
                             time_point now) {
    try {
        const auto info = info_of_dead(task, now);
        co_await handler.code->on_dead(app.beans, info);
    } catch (...) {
        announce_thrown(app, "on_dead of " + handler.name, std::current_exception());
    }
}

awaitable<void> call_on_dead_of_items(detail::app_core& app, const known_handler& handler,
                                      const bundle_run& items, const dead_task& whole, time_point now) {
    const auto set = app.overrides.of(&handler, handler.name);
    for (const auto& item : items.items()) {
        const auto terms = terms_of(handler.policy, item.body, set.get());
        const auto notes = died_in_bundle(item.notes, whole.notes.attempts, whole.notes);
        const dead_task one{item.id, whole.queue, item.body, terms, notes, whole.started_at};
        // What stopped the last call does not keep the next one from being made.
        co_await asio::this_coro::reset_cancellation_state();
        co_await call_on_dead(app, handler, one, now);
    }
}

// ---- the queue ----

on_dead_queue::on_dead_queue(worker_shared& shared, const asio::any_io_executor& executor, store& in)
    : shared_{shared}, executor_{executor}, in_{in}, timer_{executor} {}

void on_dead_queue::add(lost_task lost) {
    waiting_.push_back(std::make_shared<lost_task>(std::move(lost)));
    if (std::exchange(runs_, true)) return;
    extend_at_ = steady::now() + shared_.app.settings.lease / 3;
    asio::co_spawn(executor_, run(), asio::detached);  // throws nothing
}

void on_dead_queue::stop() {
    stopped_ = true;
    if (cancel_) cancel_->emit(asio::cancellation_type::all);
    for (const auto& one : left_behind_) one->emit(asio::cancellation_type::all);
    timer_.cancel();
}

awaitable<void> on_dead_queue::run() {
    while (!stopped_ && !waiting_.empty()) {
        const auto lost = waiting_.front();
        if (is_carrier(lost->task.id)) co_await read_items(*lost);
        co_await call_first(lost);
        if (stopped_) break;
        waiting_.pop_front();
        co_await report(*lost);
    }
    runs_ = false;
}

awaitable<void> on_dead_queue::read_items(lost_task& lost) {
    try {
        lost.items = co_await bundle_run::read(in_, lost.task.id);
    } catch (...) {
        announce_failure(shared_.app, "reading the items of a dead run", std::current_exception());
    }
}

// On the pool: what a handler does there must not keep leases from being extended.
awaitable<void> on_dead_queue::call_first(std::shared_ptr<const lost_task> lost) {
    const auto returned = std::make_shared<bool>(false);
    auto around = std::make_shared<const ambient>(ambient{.app = &shared_.app});
    const asio::strand<asio::any_io_executor> strand{
        with_ambient(shared_.pool.get_executor(), std::move(around))};
    auto done = [this, returned](const std::exception_ptr&) {
        *returned = true;
        timer_.cancel();
    };
    const auto cancel = std::make_shared<asio::cancellation_signal>();
    cancel_ = cancel;
    asio::co_spawn(asio::any_io_executor{strand}, call(shared_.app, lost, cancel, in_.now()),
                   asio::bind_cancellation_slot(cancel->slot(), asio::bind_executor(executor_, done)));
    const auto timeout = lost->terms.timeout;
    auto enough = timeout > duration{0} ? steady::now() + timeout : steady::time_point::max();
    auto given_up = steady::time_point::max();
    // Each is told once, and then has some time left.
    auto to_be_told = 1 + (lost->items ? lost->items->items().size() : 0);
    while (!*returned && !stopped_) {
        const auto now = steady::now();
        if (now >= extend_at_) {
            co_await extend();
            continue;
        }
        if (now >= given_up) {
            announce_failure(
                shared_.app, "on_dead of " + lost->known->name,
                std::make_exception_ptr(usage_error{
                    "it goes on although it was told to stop; its task is reported as dead, and those "
                    "of others are called beside it: it must end when it is cancelled"}));
            left_behind_.push_back(cancel);
            break;
        }
        if (now >= enough) {
            enough = now + timeout;
            cancel->emit(asio::cancellation_type::all);
            if (to_be_told > 0 && --to_be_told == 0) given_up = now + shared_.app.settings.shutdown_grace;
        }
        timer_.expires_at(std::min({extend_at_, enough, given_up}));
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    cancel_.reset();
}

// Keeps the signal, which its slot belongs to.
awaitable<void> on_dead_queue::call(detail::app_core& app, std::shared_ptr<const lost_task> lost,
                                    std::shared_ptr<asio::cancellation_signal>, time_point now) {
    const auto& notes = lost->decided.notes;
    const dead_task dead{lost->task.id, lost->task.queue, lost->body, lost->terms, notes, notes.started_at};
    if (lost->items) co_await call_on_dead_of_items(app, *lost->known, *lost->items, dead, now);
    co_await asio::this_coro::reset_cancellation_state();
    co_await call_on_dead(app, *lost->known, dead, now);
}

awaitable<void> on_dead_queue::extend() {
    extend_call call;
    call.lease = shared_.app.settings.lease;
    for (const auto& lost : waiting_) {
        const auto claim = lost->task.claim;
        if (std::ranges::find(call.claims, claim) == call.claims.end()) call.claims.push_back(claim);
        call.tasks.emplace_back(lost->task.id, claim);
    }
    extend_answer answer;
    try {
        answer = co_await in_.extend(call);
    } catch (...) {
        announce_failure(shared_.app, "keeping dead tasks until their handlers have heard of it",
                         std::current_exception());
    }
    extend_at_ = steady::now() + shared_.app.settings.lease / 3;
    const auto is_lost = [&](const std::shared_ptr<lost_task>& lost) {
        return std::ranges::find(answer.lost_claims, lost->task.claim) != answer.lost_claims.end() ||
               std::ranges::find(answer.lost_tasks, std::pair{lost->task.id, lost->task.claim}) !=
                   answer.lost_tasks.end();
    };
    // The first one is being called; its report will be refused.
    waiting_.erase(std::remove_if(waiting_.begin() + 1, waiting_.end(), is_lost), waiting_.end());
}

// A call that was left behind may still read it.
awaitable<void> on_dead_queue::report(const lost_task& lost) {
    work_call call;
    call.lane = lane;
    const auto& task = lost.task;
    const attempt_facts facts{task.id,      task.claim, task.queue, lost.body.priority, !task.notes.empty(),
                              std::nullopt, {},         task.body,  in_.now(),          task.sealed_body};
    call.reports.push_back(report_of(decision{lost.decided}, lost.terms, facts, {}));
    if (std::ranges::none_of(waiting_, [&](const auto& other) { return other->task.claim == task.claim; }))
        call.closed.push_back(task.claim);
    try {
        co_await in_.work(call);
    } catch (...) {
        announce_failure(shared_.app, "reporting a dead task", std::current_exception());
    }
}

}  // namespace errand
