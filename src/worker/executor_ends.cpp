// How an attempt ends: what its handler did becomes an end, which is told, counted and reported.
#include <errand/error.hpp>

#include "core/sealed_records.hpp"
#include "runtime/process_meter.hpp"
#include "runtime/task_event.hpp"
#include "worker/announce.hpp"
#include "worker/attempt_span.hpp"
#include "worker/executor.hpp"
#include "worker/on_dead.hpp"

#include <algorithm>
#include <utility>

namespace errand {

using steady = std::chrono::steady_clock;

// The one place where what a handler did becomes an end that is reported.
void executor::ended(active_task& attempt, std::exception_ptr failure, std::string result) {
    attempt.cancel = nullptr;
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
    const auto now = home_.tasks().now();
    auto decided = decide(how, failure, attempt.terms, attempt.notes_now(), now);
    if (decided.kind == verdict::succeed) decided.notes.wish = attempt.wish();
    if (decided.kind == verdict::bury && has_on_dead(attempt.known)) return bury(keep, std::move(decided));
    hand_in(attempt, std::move(decided), std::move(result), now);
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
    hand_in(one.attempt(), one.take_decision(), {}, home_.tasks().now());
}

void executor::hand_in(active_task& attempt, decision&& decided, std::string result, time_point now) {
    tell(attempt, decided, now);
    count(attempt, decided, now);
    end_span(attempt, decided);
    auto facts = attempt.facts(home_.tasks().name(), now);
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

void executor::tell_started(active_task& attempt) {
    const auto& events = shared_.app.events;
    if (!events.heard(event_kind::task_started)) return;
    if (events.listened(event_kind::task_started)) return tell_start(attempt);
    if (!counts_) counts_.emplace(shared_.app.meter.tasks());
    const auto* const by_name = attempt.goes_by_name ? attempt.known : nullptr;
    attempt.counted = counts_->of(by_name, attempt.task.queue, attempt.body.handler);
    if (attempt.counted) return attempt.counted->start(attempt.waited);
    events.count({.kind = event_kind::task_started,
                  .queue = attempt.task.queue,
                  .handler = attempt.body.handler,
                  .waited = attempt.waited});
}

void executor::tell_start(const active_task& attempt) {
    auto said = said_of(event_kind::task_started, attempt);
    said.waited = attempt.waited;
    shared_.app.events.publish(std::move(said));
}

void executor::tell(const active_task& attempt, const decision& decided, time_point now) {
    // Its end was told when it was withdrawn: the store takes no other.
    if (attempt.withdrawn) return;
    // What is seen of it in its span is counted with that.
    if (attempt.counted && decided.kind == verdict::succeed && !attempt.span &&
        !shared_.app.events.listened(event_kind::task_succeeded))
        return attempt.counted->succeed(now - *attempt.started_at, now - attempt.body.submitted_at());
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
    if (!shown && !shared_.app.events.listened(kind)) return count_end(kind, attempt, now);
    auto said = said_of(kind, attempt);
    said.max_attempts = attempt.terms.max_retry + 1;
    if (attempt.started_at) said.ended_at = now;
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

void executor::count_end(event_kind kind, const active_task& attempt, time_point now) {
    event_brief said{.kind = kind,
                     .queue = attempt.task.queue,
                     .handler = attempt.body.handler,
                     .submitted_at = attempt.body.submitted_at(),
                     .started_at = attempt.started_at};
    if (attempt.started_at) said.ended_at = now;
    if (attempt.span) said.trace_id = attempt.span->context()->trace_id;
    shared_.app.events.count(said);
}

// What was not started, or is given back, was no run.
void executor::count(const active_task& attempt, const decision& decided, time_point now) {
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
    const auto ran = std::chrono::floor<std::chrono::microseconds>(steady::now() - attempt.began);
    std::optional<std::chrono::microseconds> total;
    if (ends) total = now - attempt.body.submitted_at();
    tally_.count(*attempt.known, how, ran, attempt.waited, total);
}

}  // namespace errand
