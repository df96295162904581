#include "worker/executor.hpp"

#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "runtime/task_event.hpp"
#include "worker/announce.hpp"
#include "worker/on_dead.hpp"
#include "worker/perform_chain.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

// Starting many tasks that compute at once must not keep what has ended from being reported.
constexpr std::chrono::milliseconds longest_start{1};

}  // namespace

executor::executor(worker_shared& shared, loop& home, slot_pool& slots, leased_tasks& leased, reporter& to,
                   std::function<void()> something_changed)
    : shared_{shared},
      home_{home},
      slots_{slots},
      leased_{leased},
      reporter_{to},
      something_changed_{std::move(something_changed)},
      deadlines_{home.executor()} {}

executor::~executor() = default;

// ---- in --------------------------------------------------------------------------------------------

void executor::take(std::vector<claimed_task> tasks) {
    if (tasks.empty()) return;
    reporter_.claimed(tasks);
    std::vector<leased_tasks::index> at;
    at.reserve(tasks.size());
    leased_.add(tasks, at);
    running_.fetch_add(tasks.size(), std::memory_order_relaxed);
    for (std::size_t i = 0; i < tasks.size(); ++i) waiting_.push_back({std::move(tasks[i]), at[i], {}});
    if (!starting_) start_some();
}

void executor::decline(claimed_task task) {
    std::vector<claimed_task> one;
    one.push_back(std::move(task));
    reporter_.claimed(one);
    std::vector<leased_tasks::index> at;
    leased_.add(one, at);
    running_.fetch_add(1, std::memory_order_relaxed);
    start({.task = std::move(one.front()), .leased_at = at.front(), .over = attempt_end::shut_down});
}

void executor::start_some() {
    starting_ = false;
    const auto began = steady::now();
    while (!waiting_.empty()) {
        auto next = std::move(waiting_.front());
        waiting_.pop_front();
        start(std::move(next));
        if (!waiting_.empty() && steady::now() - began > longest_start) {
            starting_ = true;
            asio::post(home_.context(), [this] { start_some(); });
            return;
        }
    }
}

void executor::start(claimed_entry entry) {
    auto one = std::make_shared<active_task>(*this, std::move(entry.task), entry.leased_at);
    one->self = one;
    live_.push_back(*one);
    try {
        if (const auto over = prepare(*one, entry.over)) return finish(*one, *over, nullptr, {});
    } catch (...) {
        return finish(*one, attempt_end::undecodable, std::current_exception(), {});
    }
    launch(*one);
}

bool executor::apart(const active_task& one) const { return one.known->policy.blocking && shared_.has_pool; }

std::optional<attempt_end> executor::prepare(active_task& one, std::optional<attempt_end> over) {
    one.body = decode_body(one.task.body);
    one.terms = terms_of(one.body);
    if (!one.task.notes.empty()) one.notes = decode_notes(one.task.notes);
    one.number = one.notes.attempts + 1;
    if (over) return over;
    if (!starts_) return attempt_end::shut_down;
    one.known = handlers::find(one.body.handler);
    const bool runs_here = one.known && one.known->code;
    if (runs_here) one.terms = terms_of(one.known->policy, one.body);
    const auto now = home_.tasks().now();
    // First: whoever claims it, its time is over.
    if (is_late(one.terms, one.body, one.notes, now)) return attempt_end::late;
    if (!runs_here) return attempt_end::unknown_handler;
    one.args.emplace(detail::parse_json(one.body.args, "args", one.args_storage()));
    if (!one.args->is_array()) throw bad_data{"args: expected an array"};
    one.started_at = now;
    return std::nullopt;
}

void executor::launch(active_task& one) {
    if (one.terms.timeout > duration{0}) {
        one.until = shared_.app.now() + one.terms.timeout;
        deadlines_.add(one, one.terms.timeout, steady::now());
    }
    if (shared_.app.events.heard()) {
        shared_.app.events.publish(said_of(event_kind::task_started, one));
    }
    one.around = {.app = &shared_.app, .home = &home_, .task = &one};
    std::shared_ptr<const ambient> carried{one.self, &one.around};
    auto done = [this, keep = one.self](std::exception_ptr failure, std::string result) {
        ended(*keep, std::move(failure), std::move(result));
    };
    const auto slot = one.cancel.slot();
    if (!apart(one)) {
        asio::co_spawn(with_ambient(home_.executor(), std::move(carried)), call(one),
                       asio::bind_cancellation_slot(slot, std::move(done)));
        return;
    }
    // A strand: the pool's threads must not resume one attempt, or cancel it, at the same time.
    const asio::strand<asio::any_io_executor> on_pool{
        with_ambient(shared_.pool.get_executor(), std::move(carried))};
    asio::co_spawn(asio::any_io_executor{on_pool}, call(one),
                   asio::bind_cancellation_slot(slot,
                                                asio::bind_executor(home_.executor(), std::move(done))));
}

// Its first argument is the result of the task that it came after.
awaitable<std::string> executor::call_with_result(active_task& one) {
    const auto text = co_await detail::stored_result(shared_.app, to_text(one.body.after.back()));
    auto& args = one.args->get_array();
    args.insert(args.begin(), detail::parse_json(text, "args[0]", args.storage()));
    one.body.takes_result = false;
    co_return co_await call(one);
}

awaitable<std::string> executor::call(active_task& one) {
    if (one.body.takes_result && !one.body.after.empty()) return call_with_result(one);
    const auto& beans = shared_.app.beans;
    const auto perform = one.known->code->run;
    const auto& wrappers = shared_.app.perform_wrappers;
    if (wrappers.empty()) return perform(beans, one.args->get_array(), one.stage);
    auto handler = [&beans, perform, &one] { return perform(beans, one.args->get_array(), one.stage); };
    return perform_wrapped(wrappers, one, handler);
}

// ---- stop ------------------------------------------------------------------------------------------

void executor::stop(active_task& one, attempt_end why) {
    if (one.cause == attempt_end::threw) one.cause = why;
    if (one.told_to_stop.exchange(true)) return;
    // If it still goes on after another timeout and the grace, its lease is left to whoever takes it over.
    deadlines_.add(one, one.terms.timeout + shared_.app.settings.shutdown_grace, steady::now());
    // Kept: a coroutine that ends at once would take its own signal along.
    const auto keep = one.self;
    one.cancel.emit(asio::cancellation_type::all);
}

void executor::deadline_passed(active_task& one) {
    if (!one.told_to_stop) return stop(one, attempt_end::timed_out);
    leased_.abandon(one.leased_at);
    const auto waited = one.terms.timeout + shared_.app.settings.shutdown_grace;
    auto said = said_of(event_kind::overdue, one);
    said.text = "its task is given up";
    said.after = waited;
    announce(shared_.app, std::move(said));
    if (one.cause != attempt_end::withdrawn) give_up(one);
}

// By itself: the lease of its claim goes on for those that were claimed with it.
void executor::give_up(active_task& one) {
    one.given_up = true;
    auto what = decide(attempt_end::lease_ran_out, nullptr, one.terms, one.notes_now(), home_.tasks().now());
    what.notes.errors.back().message = "the handler went on although it was told to stop";
    if (what.what == verdict::bury && has_on_dead(one.known)) return bury(one.self, std::move(what));
    hand_in(one, std::move(what), {});
}

std::optional<time_point> executor::first_deadline() const {
    std::optional<time_point> first;
    for (const auto& one : live_) {
        if (!one.told_to_stop && one.until != time_point::max())
            first = std::min(first.value_or(one.until), one.until);
    }
    return first;
}

void executor::time_moved_to(time_point now) {
    std::vector<std::shared_ptr<active_task>> late;
    for (auto& one : live_) {
        if (one.until <= now) late.push_back(one.self);
    }
    for (const auto& one : late) {
        if (!one->told_to_stop) stop(*one, attempt_end::timed_out);
    }
}

void executor::cancelled(const task_id& id) {
    withdraw(event_kind::task_cancelled, [&](const claimed_task& task) { return task.id == id; });
}

void executor::lost(const task_id& id, claim_number claim) {
    withdraw(event_kind::lease_lost,
             [&](const claimed_task& task) { return task.id == id && task.claim == claim; });
}

void executor::lost(claim_number claim) {
    withdraw(event_kind::lease_lost, [&](const claimed_task& task) { return task.claim == claim; });
}

void executor::withdraw(event_kind why, const std::function<bool(const claimed_task&)>& is_it) {
    std::vector<std::shared_ptr<active_task>> gone;
    for (auto& one : live_) {
        if (is_it(one.task) && !one.given_up) gone.push_back(one.self);
    }
    for (const auto& one : gone) {
        if (!std::exchange(one->withdrawn, true)) announce(shared_.app, said_of(why, *one));
        stop(*one, attempt_end::withdrawn);
    }
    for (auto& entry : waiting_) {
        if (!is_it(entry.task) || entry.over == attempt_end::withdrawn) continue;
        entry.over = attempt_end::withdrawn;
        announce(shared_.app, task_event(why, entry.task));
    }
}

void executor::stop_starting() { starts_ = false; }

void executor::stop_running() {
    std::vector<std::shared_ptr<active_task>> all;
    for (auto& one : live_) all.push_back(one.self);
    for (const auto& one : all) stop(*one, attempt_end::shut_down);
}

// ---- out -------------------------------------------------------------------------------------------

// The one place where what a handler did becomes an end that is reported.
void executor::ended(active_task& one, std::exception_ptr failure, std::string result) {
    // On the pool the slot holds the coroutine's executor, and that holds the task, and the task the slot.
    one.cancel.slot().clear();
    auto how = failure ? one.cause : attempt_end::returned;
    if (failure && one.stage != detail::call_stage::performing) {
        try {
            std::rethrow_exception(failure);
        } catch (const bad_data&) {
            how = attempt_end::undecodable;
        } catch (...) {
        }
    }
    const auto limit = shared_.app.settings.max_payload;
    if (!failure && result.size() > limit) {
        how = attempt_end::undecodable;
        failure = std::make_exception_ptr(bad_data{
            "result: " + std::to_string(result.size()) + " bytes of JSON, the limit is max_payload = " +
            std::to_string(limit) + ": return a reference to the data instead, or raise max_payload"});
    }
    finish(one, how, failure, std::move(result));
}

void executor::finish(active_task& one, attempt_end how, const std::exception_ptr& failure,
                      std::string result) {
    const auto keep = one.self;
    if (one.timed::is_linked()) one.timed::unlink();
    if (one.given_up) return leave(one);
    auto what = decide(how, failure, one.terms, one.notes_now(), home_.tasks().now());
    if (what.what == verdict::bury && has_on_dead(one.known)) return bury(keep, std::move(what));
    hand_in(one, std::move(what), std::move(result));
}

// The handler hears of it before the store does, so that it hears of it at least once.
void executor::bury(std::shared_ptr<active_task> one, decision what) {
    auto hear = [this, now = home_.tasks().now()](const active_task& dead, const task_notes& notes) {
        const dead_task task{dead.task.id, dead.task.queue, dead.body, dead.terms, notes, dead.started_at};
        call_on_dead(shared_.app, *dead.known, task, now);
    };
    if (!apart(*one)) {
        hear(*one, what.notes);
        hand_in(*one, std::move(what), {});
        return;
    }
    auto on_pool = [this, hear, one, what = std::move(what)]() mutable {
        hear(*one, what.notes);
        asio::post(home_.context(),
                   [this, one, what = std::move(what)]() mutable { hand_in(*one, std::move(what), {}); });
    };
    asio::post(shared_.pool, std::move(on_pool));
}

void executor::hand_in(active_task& one, decision what, std::string result) {
    tell(one, what);
    const auto facts = one.facts(home_.tasks().name(), home_.tasks().now());
    auto report = report_of(std::move(what), one.terms, facts, std::move(result));
    reporter_.add(std::move(report), one.leased_at, one.body.handler);
    if (!one.given_up) return leave(one);
    something_changed_();
}

void executor::leave(active_task& one) {
    const auto keep = std::exchange(one.self, nullptr);
    live_.erase(live_.iterator_to(one));
    running_.fetch_sub(1, std::memory_order_relaxed);
    one.give_up_slot();
    something_changed_();
}

event executor::said_of(event_kind kind, const active_task& one) const {
    auto said = task_event(kind, one.task.id, one.body);
    said.queue = one.task.queue;
    said.attempt = one.number;
    said.started_at = one.started_at;
    return said;
}

void executor::tell(const active_task& one, const decision& what) {
    auto kind = event_kind::task_succeeded;
    switch (what.what) {
    case verdict::succeed: break;
    case verdict::fail: kind = event_kind::task_retrying; break;
    case verdict::snooze: kind = event_kind::task_snoozed; break;
    case verdict::postpone: kind = event_kind::handler_unknown; break;
    case verdict::bury: kind = event_kind::task_dead; break;
    case verdict::expire: kind = event_kind::task_expired; break;
    // Of one that was withdrawn it was told when it was.
    case verdict::give_back:
        if (one.withdrawn || one.cause == attempt_end::withdrawn) return;
        kind = event_kind::task_given_back;
        break;
    }
    const bool shown = what.what == verdict::bury || what.what == verdict::postpone;
    if (!shown && !shared_.app.events.heard()) return;
    auto said = said_of(kind, one);
    if (one.started_at) said.ended_at = home_.tasks().now();
    said.after = what.delay;
    if (!what.notes.errors.empty() && (shown || what.what == verdict::fail)) {
        said.text = what.notes.errors.back().type + ": " + what.notes.errors.back().message;
    }
    if (what.what == verdict::postpone) said.text = one.body.handler;
    if (shown) {
        announce(shared_.app, std::move(said));
    } else {
        shared_.app.events.publish(said);
    }
}

// ---- slots -----------------------------------------------------------------------------------------

void executor::slot_is_free() {
    slots_.release();
    something_changed_();
}

void executor::one_more_waits() {
    const auto limit = shared_.app.settings.max_awaiting;
    if (shared_.awaiting.fetch_add(1) < limit) return;
    shared_.awaiting.fetch_sub(1);
    throw usage_error{
        "more than max_awaiting = " + std::to_string(limit) +
        " handlers would wait for other tasks at once: raise max_awaiting, or wait outside of handlers"};
}

void executor::one_less_waits() { shared_.awaiting.fetch_sub(1); }

}  // namespace errand
