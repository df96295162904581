#include "service/attempt.hpp"

#include <errand/error.hpp>
#include <errand/outcome.hpp>

#include "core/task_id.hpp"
#include "core/utf8.hpp"
#include "worker/attempt_report.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace errand::web {
namespace {

constexpr std::size_t longest_message = 4096;
constexpr std::size_t longest_type = 255;

// What follows is decided by exceptions, as if the program had thrown one here.
std::exception_ptr thrown(const spoken& said) {
    switch (said.what) {
    case outcome_kind::success: return nullptr;
    case outcome_kind::discard: return std::make_exception_ptr(errand::discard{said.message});
    case outcome_kind::snooze:
        return std::make_exception_ptr(errand::snooze{said.delay.value_or(duration{0})});
    case outcome_kind::failure:
        if (said.delay) return std::make_exception_ptr(errand::retry_in{*said.delay, said.message});
        break;
    case outcome_kind::give_back: break;
    }
    return std::make_exception_ptr(std::runtime_error{said.message});
}

attempt_end end_of(outcome_kind what) {
    switch (what) {
    case outcome_kind::success: return attempt_end::returned;
    case outcome_kind::give_back: return attempt_end::shut_down;
    default: return attempt_end::threw;
    }
}

state state_after(const decision& decided) {
    switch (decided.kind) {
    case verdict::succeed: return state::success;
    case verdict::fail: return state::retry;
    case verdict::bury: return state::dead;
    case verdict::expire: return state::expired;
    case verdict::give_back: return decided.strange ? state::delayed : state::ready;
    case verdict::snooze:
    case verdict::postpone: break;
    }
    return state::delayed;
}

// What a program over HTTP may have noted is not known to every service: there may be some.
constexpr bool may_have_notes = true;

attempt_facts facts_of(const attempt& one, int priority, std::optional<time_point> started, time_point now) {
    return {one.task.id, one.task.claim, one.task.queue, priority, may_have_notes,
            started,     one.worker,     one.task.body,  now,      one.task.sealed_body};
}

// Whoever reports it may do so again, by way of another service.
report marked(report one) {
    one.again = true;
    return one;
}

}  // namespace

opened_attempt open_attempt(const detail::app_core& app, const claimed_task& task) {
    opened_attempt of;
    of.body = decode_body(task.body);
    if (!task.notes.empty()) of.notes = decode_notes(task.notes);
    of.known = handlers::find(of.body.handler);
    of.set = app.overrides.of(of.known, of.body.handler);
    of.terms = of.known ? terms_of(of.known->policy, of.body, of.set.get()) : terms_of(of.body, of.set.get());
    return of;
}

std::optional<attempt_end> why_not(const opened_attempt& of, const attempt& one, const claim_wish& asked,
                                   time_point now) {
    // One that a slow server gave late may be of queues that were asked for before.
    if (!asked.queues.contains(one.task.queue)) return attempt_end::shut_down;
    // What runs collected items has no arguments that could be handed out.
    if (is_carrier(one.task.id)) return attempt_end::unknown_handler;
    if (is_late(of.terms, of.body, of.notes, now)) return attempt_end::late;
    if (asked.handlers && !std::ranges::binary_search(*asked.handlers, of.body.handler))
        return attempt_end::unknown_handler;
    if (of.set && of.set->paused) return attempt_end::paused;
    return std::nullopt;
}

report unbegun(const detail::app_core& app, const attempt& one, attempt_end how,
               const std::exception_ptr& failure, time_point now) {
    opened_attempt of;
    if (!failure) of = open_attempt(app, one.task);
    auto decided = decide(how, failure, of.terms, std::move(of.notes), now);
    const auto facts = facts_of(one, of.body.priority, std::nullopt, now);
    return marked(report_of(std::move(decided), of.terms, facts, {}));
}

report passed_on(const opened_attempt& of, const attempt& one, duration delay) {
    auto notes = of.notes;
    notes.snoozed = true;
    report out;
    out.id = one.task.id;
    out.claim = one.task.claim;
    out.what = report::kind::later;
    out.queue = one.task.queue;
    out.priority = of.body.priority;
    out.had_notes = may_have_notes;
    out.record = encode(notes);
    out.delay = delay;
    out.gated = !of.body.gates.empty();
    return marked(std::move(out));
}

judged judge(const opened_attempt& of, const attempt& one, const spoken& said, time_point now) {
    auto decided = decide(end_of(said.what), thrown(said), of.terms, of.notes, now);
    if (decided.kind == verdict::succeed) decided.notes.wish = said.wish;
    const bool failed = decided.kind == verdict::fail || decided.kind == verdict::bury;
    if (failed && !decided.notes.errors.empty()) {
        auto& last = decided.notes.errors.back();
        last.type = utf8_prefix(said.type.empty() ? "error" : std::string_view{said.type}, longest_type);
        last.message = utf8_prefix(said.message, longest_message);
    }
    judged done;
    done.becomes = state_after(decided);
    done.kind = decided.kind;
    done.delay = decided.delay;
    done.notes = decided.notes;
    const bool back = said.what == outcome_kind::give_back;
    const auto facts = facts_of(one, of.body.priority, one.at, now);
    done.what = marked(report_of(std::move(decided), of.terms, facts, said.result));
    if (!back || !done.what.record.empty()) return done;
    // By these it is known again when it is repeated.
    auto kept = done.notes;
    kept.started_at = one.at;
    kept.worker = one.worker;
    done.what.record = encode(kept);
    return done;
}

std::optional<state> counted_before(const found_task& found, const ticket& by, outcome_kind what) {
    const auto is_it = [&](const std::optional<time_point>& started, const std::string& worker) {
        return started == by.at && worker == by.worker;
    };
    std::optional<task_notes> notes;
    try {
        if (is_end(found.where)) {
            auto end = decode_outcome(found.outcome);
            if (is_it(end.started_at, end.worker)) {
                const bool success = what == outcome_kind::success;
                const bool failure = what == outcome_kind::failure || what == outcome_kind::discard;
                if (end.ended_as == state::success && success) return state::success;
                if (end.ended_as == state::dead && failure) return state::dead;
            }
            notes = std::move(end.notes);
        } else if (!found.notes.empty()) {
            notes = decode_notes(found.notes);
        }
    } catch (const bad_data&) {
        return std::nullopt;
    }
    if (!notes) return std::nullopt;
    const bool failed = std::ranges::any_of(notes->errors, [&](const attempt_error& one) {
        return is_it(one.started_at, one.worker);
    });
    if (failed) return what == outcome_kind::failure ? std::optional{state::retry} : std::nullopt;
    if (!is_it(notes->started_at, notes->worker)) return std::nullopt;
    const bool back = !notes->snoozed || found.where == state::ready;
    if (what == outcome_kind::snooze && notes->snoozed) return state::delayed;
    if (what != outcome_kind::give_back || !back) return std::nullopt;
    return notes->unknown_handler > 0 ? state::delayed : state::ready;
}

}  // namespace errand::web
