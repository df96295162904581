#include "worker/executor.hpp"

#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/sealed_records.hpp"
#include "runtime/task_event.hpp"
#include "worker/announce.hpp"
#include "worker/attempt_span.hpp"
#include "worker/kept_piece.hpp"
#include "worker/on_dead.hpp"

#include <boost/asio/post.hpp>

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
    // What a handler does may lead here.
    const auto outer = std::exchange(start_until_, {});
    while (auto next = next_here()) run_here(std::move(next));
    start_until_ = outer;
    if (waiting_.empty() || starting_) return;
    starting_ = true;
    asio::post(home_.context(), [this] { start_some(); });
}

std::shared_ptr<active_task> executor::next_here() {
    while (!waiting_.empty()) {
        const auto now = steady::now();
        if (start_until_ == steady::time_point{}) start_until_ = now + longest_start;
        if (now > start_until_) return nullptr;
        auto next = std::move(waiting_.front());
        waiting_.pop_front();
        if (auto attempt = start(std::move(next))) return attempt;
    }
    return nullptr;
}

std::shared_ptr<active_task> executor::start(claimed_entry&& entry) {
    auto attempt = std::allocate_shared<active_task>(kept_piece<active_task>{}, *this, std::move(entry.task),
                                                     entry.leased_at);
    attempt->self = attempt;
    live_.push_back(*attempt);
    try {
        if (const auto over = prepare(*attempt, entry.over)) {
            finish(*attempt, *over, nullptr, {});
            return nullptr;
        }
    } catch (...) {
        finish(*attempt, attempt_end::undecodable, std::current_exception(), {});
        return nullptr;
    }
    launch(*attempt);
    if (!apart(*attempt)) return attempt;
    run_apart(*attempt);
    return nullptr;
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
    // Most tasks are of the handler that the one before was of.
    attempt.goes_by_name = last_known_ && last_known_->name == attempt.body.handler;
    if (!attempt.goes_by_name) {
        last_known_ = handlers::find(attempt.body.handler);
        attempt.goes_by_name = last_known_ && last_known_->name == attempt.body.handler;
    }
    attempt.known = last_known_;
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
    attempt.waited = wait_of(attempt.body, attempt.notes, now);
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
    tell_started(attempt);
    attempt.around = {.app = &shared_.app, .home = &home_, .task = &attempt};
    begin_span(shared_.app, attempt);
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
    if (const auto signal = attempt.cancel) signal->emit(asio::cancellation_type::all);
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
    const auto now = home_.tasks().now();
    auto decided = decide(attempt_end::lease_ran_out, nullptr, attempt.terms, attempt.notes_now(), now);
    decided.notes.errors.back().message = "the handler went on although it was told to stop";
    if (decided.kind == verdict::bury && has_on_dead(attempt.known))
        return bury(attempt.self, std::move(decided));
    hand_in(attempt, std::move(decided), {}, now);
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
