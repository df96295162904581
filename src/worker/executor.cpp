#include "worker/executor.hpp"

#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/sealed_records.hpp"
#include "runtime/on_loop.hpp"
#include "runtime/task_event.hpp"
#include "worker/announce.hpp"
#include "worker/attempt_span.hpp"
#include "worker/on_dead.hpp"
#include "worker/perform_chain.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

// Starting many tasks that compute at once must not keep what has ended from being reported.
constexpr std::chrono::milliseconds longest_start{1};

// To other threads, while its code runs until it waits for the first time.
class shown_as_beginning {
public:
    shown_as_beginning(std::mutex& guard, const active_task*& place, const active_task& one)
        : guard_{guard}, place_{place} {
        const std::lock_guard lock{guard_};
        before_ = std::exchange(place_, &one);
    }
    ~shown_as_beginning() {
        const std::lock_guard lock{guard_};
        place_ = before_;
    }
    shown_as_beginning(const shown_as_beginning&) = delete;
    shown_as_beginning& operator=(const shown_as_beginning&) = delete;

private:
    std::mutex& guard_;
    const active_task*& place_;
    const active_task* before_ = nullptr;
};

}  // namespace

executor::executor(worker_shared& shared, loop& home, slot_pool& slots, leased_tasks& leased, reporter& to,
                   std::function<void()> something_changed)
    : shared_{shared},
      home_{home},
      slots_{slots},
      leased_{leased},
      reporter_{to},
      something_changed_{std::move(something_changed)},
      deadlines_{home.executor()},
      gates_{shared, home},
      gate_check_{shared.app} {}

executor::~executor() = default;

// ---- in --------------------------------------------------------------------------------------------

void executor::take(std::vector<claimed_task> tasks) {
    if (tasks.empty()) return;
    reporter_.claimed(tasks);
    std::vector<leased_tasks::index> at;
    at.reserve(tasks.size());
    leased_.add(tasks, at);
    running_.fetch_add(tasks.size(), std::memory_order_relaxed);
    for (std::size_t i = 0; i < tasks.size(); ++i)
        waiting_.emplace_back(std::move(tasks[i]), at[i], std::nullopt);
    if (!starting_) start_some();
}

void executor::decline(claimed_task task) {
    std::vector<claimed_task> tasks;
    tasks.push_back(std::move(task));
    reporter_.claimed(tasks);
    std::vector<leased_tasks::index> at;
    leased_.add(tasks, at);
    running_.fetch_add(1, std::memory_order_relaxed);
    start({.task = std::move(tasks.front()), .leased_at = at.front(), .over = attempt_end::shut_down});
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

void executor::start(claimed_entry&& entry) {
    auto attempt = std::make_shared<active_task>(*this, std::move(entry.task), entry.leased_at);
    attempt->self = attempt;
    live_.push_back(*attempt);
    try {
        if (const auto over = prepare(*attempt, entry.over)) return finish(*attempt, *over, nullptr, {});
    } catch (...) {
        return finish(*attempt, attempt_end::undecodable, std::current_exception(), {});
    }
    launch(*attempt);
}

bool executor::apart(const active_task& attempt) const {
    return attempt.known->policy.blocking && shared_.has_pool;
}

std::optional<attempt_end> executor::prepare(active_task& attempt, std::optional<attempt_end> over) {
    attempt.body = decode_body(attempt.task.body);
    attempt.terms = terms_of(attempt.body);
    if (!attempt.task.notes.empty()) attempt.notes = decode_notes(attempt.task.notes);
    attempt.number = attempt.notes.attempts + 1;
    if (over) return over;
    if (!starts_) return attempt_end::shut_down;
    attempt.known = handlers::find(attempt.body.handler);
    set_terms(attempt);
    const auto now = home_.tasks().now();
    // First: whoever claims it, its time is over. What is said of expiring is said of items, not of what runs them.
    if (!is_carrier(attempt.task.id) && is_late(attempt.terms, attempt.body, attempt.notes, now))
        return attempt_end::late;
    if (!attempt.known || !attempt.known->code) return attempt_end::unknown_handler;
    if (attempt.set && attempt.set->paused) return attempt_end::paused;
    if (auto why = why_locked(shared_.app.seals(), attempt.body, attempt.notes)) {
        attempt.locked = std::move(*why);
        return attempt_end::locked;
    }
    attempt.locked_before = std::exchange(attempt.notes.locked, 0);
    const auto& flow = attempt.notes.flow;
    attempt.args.emplace(detail::parse_json(flow && flow->content ? '[' + *flow->content + ']'
                                                                  : attempt.body.args,
                                            "args", attempt.args_storage()));
    if (!attempt.args->is_array()) throw bad_data{"args: expected an array"};
    if (is_item(*attempt.known, attempt.task.id)) {
        const auto rules = shared_.app.overrides.quota_rules();
        attempt.joins = encode(joining_of({.handler = *attempt.known,
                                           .set = attempt.set.get(),
                                           .task = attempt.task,
                                           .body = attempt.body,
                                           .shards = shared_.app.settings.shards,
                                           .rules = rules.get()},
                                          attempt.args->get_array(), now));
        return attempt_end::collected;
    }
    if (gate_check_.adds_to(attempt.body, attempt.task.id, attempt.known)) return attempt_end::regrouped;
    attempt.started_at = now;
    return std::nullopt;
}

void executor::set_terms(active_task& attempt) {
    attempt.set = shared_.app.overrides.of(attempt.known, attempt.body.handler);
    const bool runs_here = attempt.known && attempt.known->code;
    if (runs_here)
        attempt.terms = terms_of(attempt.known->policy, attempt.body, attempt.set.get());
    else if (attempt.set)
        attempt.terms = terms_of(attempt.body, attempt.set.get());
}

void executor::renew_terms(active_task& attempt) {
    if (!attempt.known || (!attempt.set && !shared_.app.overrides.any())) return;
    const auto timeout = attempt.terms.timeout;  // as it ran
    set_terms(attempt);
    attempt.terms.timeout = timeout;
}

void executor::launch(active_task& attempt) {
    attempt.began = steady::now();
    if (attempt.terms.timeout > duration{0}) {
        attempt.until = shared_.app.now() + attempt.terms.timeout;
        deadlines_.add(attempt, attempt.terms.timeout, attempt.began);
    }
    if (shared_.app.events.heard(event_kind::task_started)) {
        auto said = said_of(event_kind::task_started, attempt);
        said.waited = wait_of(attempt.body, attempt.notes, *attempt.started_at);
        shared_.app.events.publish(std::move(said));
    }
    attempt.around = {.app = &shared_.app, .home = &home_, .task = &attempt};
    begin_span(shared_.app, attempt);
    std::shared_ptr<const ambient> carried{attempt.self, &attempt.around};
    auto done = [this, keep = attempt.self](std::exception_ptr failure, std::string result) {
        ended(*keep, std::move(failure), std::move(result));
    };
    const auto slot = attempt.cancel.slot();
    if (!apart(attempt)) {
        const shown_as_beginning shown{beginning_guard_, beginning_, attempt};
        asio::co_spawn(with_ambient(home_.executor(), std::move(carried)), call(attempt),
                       asio::bind_cancellation_slot(slot, std::move(done)));
        return;
    }
    // A strand: the pool's threads must not resume one attempt, or cancel it, at the same time.
    const asio::strand<asio::any_io_executor> on_pool{
        with_ambient(shared_.pool.get_executor(), std::move(carried))};
    asio::co_spawn(asio::any_io_executor{on_pool}, call(attempt),
                   asio::bind_cancellation_slot(slot,
                                                asio::bind_executor(home_.executor(), std::move(done))));
}

// Its first argument is the result of the task that it came after.
awaitable<std::string> executor::call_with_result(active_task& attempt) {
    std::string text;
    try {
        text = co_await detail::stored_result(shared_.app, to_text(attempt.body.after.back()));
    } catch (const key_missing& missing) {
        attempt.locked = missing.what();
        throw;
    }
    auto& args = attempt.args->get_array();
    args.insert(args.begin(), detail::parse_json(text, "args[0]", args.storage()));
    attempt.body.takes_result = false;
    co_return co_await call(attempt);
}

// All items of its bundle, and what is said of each of them.
awaitable<std::string> executor::call_bundle(active_task& attempt) {
    if (!attempt.known->code->item_key) {
        throw usage_error{
            "handler " + attempt.known->name +
            ": this is a run over collected items, and its perform takes no list of them any more"};
    }
    auto read = [id = attempt.task.id](loop& there) { return bundle_run::read(there.tasks(), id); };
    attempt.bundle = co_await on_loop(home_, std::move(read));
    if (attempt.bundle->items().empty()) co_return std::string{};
    try {
        attempt.args.emplace(attempt.bundle->args(attempt.args_storage(), shared_.app.seals()));
    } catch (const key_missing& missing) {
        attempt.locked = missing.what();
        throw;
    }
    const auto result = co_await call_handler(attempt);
    const auto now = shared_.app.now();
    const auto ends = attempt.bundle->ends(*attempt.known, attempt.set.get(), result, now);
    if (has_on_dead(attempt.known)) co_await tell_dead_items(attempt, ends, now);
    co_return bundle_report(ends);
}

awaitable<void> executor::tell_dead_items(const active_task& attempt, const std::vector<item_end>& ends,
                                          time_point now) {
    for (std::size_t at = 0; at < ends.size(); ++at) {
        if (!ends[at].dead) continue;
        const auto& item = attempt.bundle->items()[at];
        const auto terms = terms_of(attempt.known->policy, item.body, attempt.set.get());
        const auto notes = failed_in_bundle(item.notes, ends[at].why, now);
        const dead_task one{item.id, attempt.task.queue, item.body, terms, notes, attempt.started_at};
        // The run is over: what was to stop it stops none of these calls.
        co_await asio::this_coro::reset_cancellation_state();
        co_await call_on_dead(shared_.app, *attempt.known, one, now);
    }
}

awaitable<std::string> executor::call(active_task& attempt) {
    if (is_carrier(attempt.task.id)) return call_bundle(attempt);
    if (attempt.body.takes_result && !attempt.body.after.empty()) return call_with_result(attempt);
    return call_handler(attempt);
}

awaitable<std::string> executor::call_handler(active_task& attempt) {
    const auto& beans = shared_.app.beans;
    const auto perform = attempt.known->code->run;
    const auto& wrappers = shared_.app.perform_wrappers;
    if (wrappers.empty()) return perform(beans, attempt.args->get_array(), attempt.stage);
    auto handler = [&beans, perform, &attempt] {
        return perform(beans, attempt.args->get_array(), attempt.stage);
    };
    return perform_wrapped(wrappers, attempt, handler);
}

// ---- stop ------------------------------------------------------------------------------------------

void executor::stop(active_task& attempt, attempt_end why) {
    if (attempt.dying) return;
    if (attempt.cause == attempt_end::threw) attempt.cause = why;
    if (attempt.told_to_stop.exchange(true)) return;
    // If it still goes on after another timeout and the grace, its lease is left to whoever takes it over.
    deadlines_.add(attempt, attempt.terms.timeout + shared_.app.settings.shutdown_grace, steady::now());
    // Kept: a coroutine that ends at once would take its own signal along.
    const auto keep = attempt.self;
    attempt.cancel.emit(asio::cancellation_type::all);
    keep->hurry();
}

void executor::deadline_passed(active_task& attempt) {
    if (!attempt.told_to_stop) return stop(attempt, attempt_end::timed_out);
    leased_.abandon(attempt.leased_at);
    const auto waited = attempt.terms.timeout + shared_.app.settings.shutdown_grace;
    auto said = said_of(event_kind::overdue, attempt);
    said.text = "its task is given up";
    said.after = waited;
    announce(shared_.app, std::move(said));
    if (attempt.cause != attempt_end::withdrawn) give_up(attempt);
}

// By itself: the lease of its claim goes on for those that were claimed with it.
void executor::give_up(active_task& attempt) {
    attempt.given_up = true;
    auto decided =
        decide(attempt_end::lease_ran_out, nullptr, attempt.terms, attempt.notes_now(), home_.tasks().now());
    decided.notes.errors.back().message = "the handler went on although it was told to stop";
    if (decided.kind == verdict::bury && has_on_dead(attempt.known))
        return bury(attempt.self, std::move(decided));
    hand_in(attempt, std::move(decided), {});
}

std::optional<time_point> executor::first_deadline() const {
    std::optional<time_point> first;
    for (const auto& attempt : live_) {
        if (!attempt.told_to_stop && attempt.until != time_point::max())
            first = std::min(first.value_or(attempt.until), attempt.until);
    }
    return first;
}

void executor::time_moved_to(time_point now) {
    std::vector<std::shared_ptr<active_task>> late;
    for (auto& attempt : live_) {
        if (attempt.until <= now) late.push_back(attempt.self);
    }
    for (const auto& attempt : late) {
        if (!attempt->told_to_stop) stop(*attempt, attempt_end::timed_out);
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
    for (auto& attempt : live_) {
        if (is_it(attempt.task) && !attempt.given_up) gone.push_back(attempt.self);
    }
    for (const auto& attempt : gone) {
        if (!std::exchange(attempt->withdrawn, true)) announce(shared_.app, said_of(why, *attempt));
        stop(*attempt, attempt_end::withdrawn);
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
    for (auto& attempt : live_) all.push_back(attempt.self);
    for (const auto& attempt : all) stop(*attempt, attempt_end::shut_down);
    const auto dying = burials_;
    for (const auto& one : dying) one->stop();
}

// ---- out -------------------------------------------------------------------------------------------

// The one place where what a handler did becomes an end that is reported.
void executor::ended(active_task& attempt, std::exception_ptr failure, std::string result) {
    // On the pool the slot holds the coroutine's executor, and that holds the task, and the task the slot.
    attempt.cancel.slot().clear();
    auto how = failure ? attempt.cause : attempt_end::returned;
    if (failure && attempt.stage != detail::call_stage::performing) {
        try {
            std::rethrow_exception(failure);
        } catch (const bad_data&) {
            how = attempt_end::undecodable;
        } catch (...) {
        }
    }
    // What it is to be called with is encrypted with a key that is not here: its handler was not called.
    if (how == attempt_end::threw && !attempt.locked.empty()) {
        how = attempt_end::locked;
        attempt.notes.locked = attempt.locked_before;
    } else {
        attempt.locked.clear();
    }
    if (!failure && attempt.cause == attempt_end::timed_out) {
        auto said = said_of(event_kind::ended_late, attempt);
        said.max_attempts = attempt.terms.max_retry + 1;
        said.after = shared_.app.now() - attempt.until;
        announce(shared_.app, std::move(said));
    }
    const auto limit = shared_.app.settings.max_payload;
    if (!failure && result.size() > limit) {
        how = attempt_end::undecodable;
        failure = std::make_exception_ptr(bad_data{
            "result: " + std::to_string(result.size()) + " bytes of JSON, the limit is max_payload = " +
            std::to_string(limit) + ": return a reference to the data instead, or raise max_payload"});
    }
    finish(attempt, how, failure, std::move(result));
}

void executor::finish(active_task& attempt, attempt_end how, const std::exception_ptr& failure,
                      std::string result) {
    if (how == attempt_end::collected) return collect(attempt);
    if (how == attempt_end::regrouped) return regroup(attempt);
    const auto keep = attempt.self;
    if (attempt.timed::is_linked()) attempt.timed::unlink();
    if (attempt.given_up) return leave(attempt);
    renew_terms(attempt);
    // For its items: who tells them of its end may not know the handler.
    if (attempt.known && is_carrier(attempt.task.id))
        attempt.terms.unique_for = attempt.known->policy.unique_for.value_or(duration{0});
    auto decided = decide(how, failure, attempt.terms, attempt.notes_now(), home_.tasks().now());
    if (decided.kind == verdict::succeed) decided.notes.wish = attempt.wish();
    if (decided.kind == verdict::bury && has_on_dead(attempt.known)) return bury(keep, std::move(decided));
    hand_in(attempt, std::move(decided), std::move(result));
}

// It goes on waiting, in its bundle.
void executor::collect(active_task& attempt) {
    report one;
    one.id = attempt.task.id;
    one.claim = attempt.task.claim;
    one.what = report::kind::join;
    one.queue = attempt.task.queue;
    one.priority = attempt.body.priority;
    // Of one that was submitted when its handler did not collect yet.
    one.gated = !attempt.body.gates.empty();
    one.record = std::move(attempt.joins);
    reporter_.add(std::move(one), attempt.leased_at, attempt.body.handler);
    leave(attempt);
}

// It has not started, and no attempt is used.
void executor::regroup(active_task& attempt) {
    reporter_.add(regroup_report(attempt.task, attempt.body), attempt.leased_at, attempt.body.handler);
    leave(attempt);
}

// The handler hears of it before the store does, so that it hears of it at least once.
void executor::bury(std::shared_ptr<active_task> attempt, decision decided) {
    attempt->dying = true;
    // Of a run it hears as often as that had items, and must not keep leases from being extended for so long.
    const bool on_pool = apart(*attempt) || (attempt->bundle && shared_.has_pool);
    const auto one =
        std::make_shared<burial>(shared_, home_, deadlines_, std::move(attempt), std::move(decided));
    burials_.push_back(one);
    one->begin(on_pool, [this, it = one.get()] { buried(*it); });
}

void executor::buried(burial& one) {
    const auto at = std::ranges::find(burials_, &one, [](const auto& each) { return each.get(); });
    const auto keep = *at;
    burials_.erase(at);
    hand_in(one.attempt(), one.take_decision(), {});
}

void executor::hand_in(active_task& attempt, decision&& decided, std::string result) {
    tell(attempt, decided);
    count(attempt, decided);
    end_span(attempt, decided);
    auto facts = attempt.facts(home_.tasks().name(), home_.tasks().now());
    if (!attempt.locked.empty()) facts.started_at.reset();
    auto report = report_of(std::move(decided), attempt.terms, facts, std::move(result));
    reporter_.add(std::move(report), attempt.leased_at, attempt.body.handler);
    if (!attempt.given_up) return leave(attempt);
    something_changed_();
}

void executor::leave(active_task& attempt) {
    const auto keep = std::exchange(attempt.self, nullptr);
    live_.erase(live_.iterator_to(attempt));
    running_.fetch_sub(1, std::memory_order_relaxed);
    attempt.give_up_slot();
    something_changed_();
}

event executor::said_of(event_kind kind, const active_task& attempt) const {
    auto said = task_event(kind, attempt.task.id, attempt.body);
    said.queue = attempt.task.queue;
    said.attempt = attempt.number;
    said.started_at = attempt.started_at;
    return said;
}

void executor::tell(const active_task& attempt, const decision& decided) {
    // Its end was told when it was withdrawn: the store takes no other.
    if (attempt.withdrawn) return;
    auto kind = event_kind::task_succeeded;
    switch (decided.kind) {
    case verdict::succeed: break;
    case verdict::fail: kind = event_kind::task_retrying; break;
    case verdict::snooze: kind = event_kind::task_snoozed; break;
    case verdict::postpone: kind = event_kind::handler_unknown; break;
    case verdict::bury: kind = event_kind::task_dead; break;
    case verdict::expire: kind = event_kind::task_expired; break;
    case verdict::give_back:
        if (attempt.cause == attempt_end::withdrawn) return;
        kind = event_kind::task_given_back;
        break;
    }
    const bool failed = decided.kind == verdict::bury || decided.kind == verdict::fail;
    const bool shown = failed || decided.kind == verdict::postpone || decided.kind == verdict::give_back ||
                       !attempt.locked.empty();
    if (!shown && !shared_.app.events.heard(kind)) return;
    auto said = said_of(kind, attempt);
    said.max_attempts = attempt.terms.max_retry + 1;
    if (attempt.started_at) said.ended_at = home_.tasks().now();
    said.after = decided.delay;
    if (attempt.span) said.trace_id = attempt.span->context()->trace_id;
    if (!decided.notes.errors.empty() && failed) {
        said.text = decided.notes.errors.back().type + ": " + decided.notes.errors.back().message;
    }
    if (decided.kind == verdict::postpone) said.text = attempt.body.handler;
    if (!attempt.locked.empty()) said.text = attempt.locked;
    if (shown) {
        announce(shared_.app, std::move(said));
    } else {
        shared_.app.events.publish(std::move(said));
    }
}

// What was not started, or is given back, was no run.
void executor::count(const active_task& attempt, const decision& decided) {
    if (!attempt.known || attempt.began == steady::time_point{} || !attempt.locked.empty()) return;
    auto how = attempt_tally::result::went_well;
    bool ends = false;
    switch (decided.kind) {
    case verdict::succeed: ends = true; break;
    case verdict::snooze: break;
    case verdict::fail: how = attempt_tally::result::failed; break;
    case verdict::bury:
        how = attempt_tally::result::dead;
        ends = true;
        break;
    case verdict::postpone:
    case verdict::expire:
    case verdict::give_back: return;
    }
    std::optional<std::chrono::microseconds> waited;
    if (attempt.started_at) waited = wait_of(attempt.body, attempt.notes, *attempt.started_at);
    const auto ran = std::chrono::floor<std::chrono::microseconds>(steady::now() - attempt.began);
    std::optional<std::chrono::microseconds> total;
    if (ends) total = home_.tasks().now() - attempt.body.submitted_at();
    tally_.count(*attempt.known, how, ran, waited, total);
}

// ---- what is seen of it -----------------------------------------------------------------------------

std::optional<event> executor::beginning(event_kind about) const {
    const std::lock_guard lock{beginning_guard_};
    return beginning_ ? std::optional{said_of(about, *beginning_)} : std::nullopt;
}

std::string executor::some_running() const {
    constexpr std::size_t most = 3;
    std::string names;
    std::size_t count = 0;
    for (const auto& one : live_) {
        if (!one.started_at || ++count > most) continue;
        names += (names.empty() ? "" : ", ") + one.body.handler + " " + one.id();
    }
    return count > most ? names + " and " + std::to_string(count - most) + " more" : names;
}

// ---- slots -----------------------------------------------------------------------------------------

void executor::slot_is_free() {
    slots_.release();
    something_changed_();
}

void executor::one_more_waits() {
    const auto limit = shared_.app.settings.max_awaiting;
    if (shared_.awaiting->fetch_add(1) < limit) return;
    shared_.awaiting->fetch_sub(1);
    throw usage_error{
        "more than max_awaiting = " + std::to_string(limit) +
        " handlers would wait for other tasks at once: raise max_awaiting, or wait outside of handlers"};
}

void executor::one_less_waits() { shared_.awaiting->fetch_sub(1); }

}  // namespace errand
