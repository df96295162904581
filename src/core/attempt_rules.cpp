#include "core/attempt_rules.hpp"

#include <errand/error.hpp>
#include <errand/outcome.hpp>

#include "core/backoff_delay.hpp"
#include "core/job_rules.hpp"
#include "core/random.hpp"
#include "core/utf8.hpp"

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <cxxabi.h>
#include <exception>
#include <system_error>
#include <typeinfo>
#include <utility>

namespace errand {
namespace {

constexpr std::size_t max_message = 4096;
const std::string unknown_message = "unknown exception";

// What is kept of a text that errand did not write.
std::string kept_part(std::string_view text) { return repaired_utf8(utf8_prefix(text, max_message)); }

// What a handler asks for, within what a due time can hold.
duration in_bounds(duration delay) {
    return std::clamp(delay, duration::zero(), duration{std::chrono::days{36'525}});
}

duration backoff_of(const attempt_terms& terms, int retries, const std::exception_ptr& failure) {
    if (terms.backoff) {
        try {
            return in_bounds((*terms.backoff)(retries, failure));
        } catch (...) {
            // A backoff that throws must not cost the task its retry: the polynomial takes its place.
        }
    }
    return polynomial_delay(retries, random_unit());
}

void add_error(task_notes& notes, failure_text why, time_point now) {
    if (notes.errors.size() >= task_notes::max_errors) notes.errors.erase(notes.errors.begin());
    notes.errors.push_back({notes.attempts, now, std::move(why.type), std::move(why.message)});
}

// Uses an attempt. `delay`: until the next one, when there is one; nullopt: the backoff.
decision failed(task_notes&& notes, failure_text why, const attempt_terms& terms,
                std::optional<duration> delay, const std::exception_ptr& failure, time_point now) {
    const int retries = notes.attempts;
    ++notes.attempts;
    notes.snoozed = false;
    add_error(notes, std::move(why), now);
    if (retries >= terms.max_retry) return {verdict::bury, duration{0}, std::move(notes)};
    const auto wait = delay ? in_bounds(*delay) : backoff_of(terms, retries, failure);
    return {verdict::fail, wait, std::move(notes)};
}

decision buried(task_notes&& notes, const std::exception_ptr& failure, time_point now) {
    ++notes.attempts;
    add_error(notes, describe(failure), now);
    return {verdict::bury, duration{0}, std::move(notes)};
}

decision snoozed(task_notes&& notes, duration delay, time_point now) {
    notes.snoozed = true;
    if (!notes.started_at) notes.started_at = now;  // somebody knew it
    return {verdict::snooze, in_bounds(delay), std::move(notes)};
}

decision given_back(task_notes&& notes, const attempt_terms& terms, time_point now) {
    // It has started, so it cannot come too late any more; nothing else would say so.
    if (terms.expires_after) {
        notes.snoozed = true;
        if (!notes.started_at) notes.started_at = now;
    }
    return {verdict::give_back, duration{0}, std::move(notes)};
}

// A task that kills its worker must not kill the fleet: from its second lost lease on it goes through the
// backoff.
decision lease_ran_out(task_notes&& notes, const attempt_terms& terms, time_point now) {
    ++notes.lost_leases;
    const bool first = notes.lost_leases == 1;
    failure_text why{"errand::lease_lost", "its worker gave no sign of life until the lease had run out"};
    if (terms.job) return failed(std::move(notes), std::move(why), terms, duration{0}, nullptr, now);
    auto next = failed(std::move(notes), std::move(why), terms, std::nullopt, nullptr, now);
    if (next.kind == verdict::fail && first) {
        next.kind = verdict::give_back;
        next.delay = duration{0};
    }
    return next;
}

// It is looked at again soon, since others may have the key, and then more and more seldom: nobody may.
decision locked(task_notes&& notes) {
    constexpr int doublings = 6;
    constexpr duration first{1'000};
    constexpr duration longest{60'000};
    const auto wait = std::min(first * (1 << std::min(notes.locked, doublings)), longest);
    ++notes.locked;
    notes.snoozed = true;
    return {verdict::snooze, wait, std::move(notes)};
}

decision postponed(task_notes&& notes) {
    ++notes.unknown_handler;
    notes.snoozed = true;
    return {verdict::postpone, duration{0}, std::move(notes)};
}

// An exception out of the handler: what it asks for first, then what the circumstances say.
decision threw(attempt_end how, const std::exception_ptr& failure, const attempt_terms& terms,
               task_notes&& notes, time_point now) {
    try {
        std::rethrow_exception(failure);
    } catch (const discard&) {
        return buried(std::move(notes), failure, now);
    } catch (const retry_in& wish) {
        return failed(std::move(notes), describe(failure), terms, wish.delay(), failure, now);
    } catch (const snooze& wish) {
        return snoozed(std::move(notes), wish.delay(), now);
    } catch (...) {
        if (how == attempt_end::shut_down || how == attempt_end::withdrawn)
            return given_back(std::move(notes), terms, now);
        if (how == attempt_end::timed_out) {
            failure_text why{"errand::timed_out", "timed out after " + in_words(terms.timeout)};
            return failed(std::move(notes), std::move(why), terms, std::nullopt, failure, now);
        }
        return failed(std::move(notes), describe(failure), terms, std::nullopt, failure, now);
    }
}

// What the submission said itself stays.
void put_over(attempt_terms& terms, const handler_settings& set, const task_body& body) {
    if (set.timeout && !body.timeout) terms.timeout = *set.timeout;
    if (set.max_retry && !body.max_retry) terms.max_retry = *set.max_retry;
    if (set.retention && (!body.retention || body.policy_retains)) terms.retention = *set.retention;
    if (set.backoff) terms.backoff = &*set.backoff;
    if (!set.expires_after || (body.expires_after && !body.policy_expires)) return;
    terms.expires_after = set.expires_after;
    if (*set.expires_after == duration::zero()) terms.expires_after.reset();
}

attempt_terms terms_with(const policy& rules, duration retention, const task_body& body,
                         const handler_settings* set) {
    attempt_terms terms;
    terms.timeout = body.timeout.value_or(rules.timeout);
    terms.max_retry = body.max_retry.value_or(rules.max_retry);
    terms.expires_after = body.expires_after ? body.expires_after : rules.expires_after;
    terms.retention = body.retention && !body.policy_retains ? *body.retention : retention;
    terms.backoff = &rules.backoff;
    if (set) put_over(terms, *set, body);
    if (body.biz_id) terms.unique_for = rules.unique_for.value_or(terms.retention);
    terms.job = is_job(body);
    if (terms.job) terms.ends_at = end_of_job(body, {});
    return terms;
}

}  // namespace

attempt_terms terms_of(const policy& rules, const task_body& body, const handler_settings* set) {
    return terms_with(rules, rules.retention, body, set);
}

attempt_terms terms_of(const task_body& body, const handler_settings* set) {
    static const policy defaults{};
    return terms_with(defaults, body.retention.value_or(defaults.retention), body, set);
}

namespace {

std::optional<time_point> end_in_force(const attempt_terms& terms, const task_notes& notes) {
    if (notes.ends_at) return *notes.ends_at == time_point{} ? std::nullopt : notes.ends_at;
    return notes.revived ? std::nullopt : terms.ends_at;
}

decision decided(attempt_end how, const std::exception_ptr& failure, const attempt_terms& terms,
                 task_notes&& before, time_point now) {
    switch (how) {
    case attempt_end::returned: ++before.attempts; return {verdict::succeed, duration{0}, std::move(before)};
    case attempt_end::undecodable: return buried(std::move(before), failure, now);
    case attempt_end::lease_ran_out: return lease_ran_out(std::move(before), terms, now);
    case attempt_end::unknown_handler: return postponed(std::move(before));
    case attempt_end::locked: return locked(std::move(before));
    case attempt_end::late: return {verdict::expire, duration{0}, std::move(before)};
    case attempt_end::paused: return {verdict::give_back, duration{0}, std::move(before)};
    default: break;
    }
    if (!failure) return {verdict::give_back, duration{0}, std::move(before)};  // it never started
    return threw(how, failure, terms, std::move(before), now);
}

// From its end on a job is not tried again, and is no dead letter.
void end_in_time(decision& next, const attempt_terms& terms, time_point now) {
    const auto kind = next.kind;
    if (kind == verdict::succeed || kind == verdict::expire || kind == verdict::postpone) return;
    const auto ends_at = end_in_force(terms, next.notes);
    if (ends_at && now >= *ends_at) next.kind = verdict::expire;
}

}  // namespace

namespace {

void count_attempt(flow_notes& flow, attempt_end how, verdict kind) {
    count_change(flow);
    const bool threw = how == attempt_end::threw || how == attempt_end::timed_out;
    const bool ran = how == attempt_end::returned || how == attempt_end::undecodable ||
                     how == attempt_end::lease_ran_out || (threw && kind != verdict::give_back);
    if (ran) ++flow.deliveries;
}

}  // namespace

decision decide(attempt_end how, const std::exception_ptr& failure, const attempt_terms& terms,
                task_notes before, time_point now) {
    if (before.flow && before.flow->max_retry && *before.flow->max_retry != terms.max_retry) {
        auto own = terms;
        own.max_retry = *before.flow->max_retry;
        return decide(how, failure, own, std::move(before), now);
    }
    before.max_retry = terms.max_retry;
    const bool strange = before.unknown_handler > 0;
    auto next = decided(how, failure, terms, std::move(before), now);
    if (next.notes.flow) count_attempt(*next.notes.flow, how, next.kind);
    if (terms.job) end_in_time(next, terms, now);
    next.strange = how == attempt_end::paused || (strange && next.kind != verdict::postpone);
    return next;
}

bool is_late(const attempt_terms& terms, const task_body& body, const task_notes& notes,
             time_point now) noexcept {
    if (terms.job) {
        const auto ends_at = end_of_job(body, notes);
        return ends_at && now >= *ends_at;
    }
    if (!terms.expires_after) return false;
    const bool started = notes.revived || notes.attempts > 0 || notes.started_at ||
                         (notes.snoozed && notes.unknown_handler == 0 && notes.locked == 0);
    return !started && now > body.due_at.value_or(body.submitted_at()) + *terms.expires_after;
}

namespace {

// Of what was thrown with std::throw_with_nested: the exception inside, which says of the one inside it.
std::string text_of_cause(const std::exception& outer) {
    try {
        std::rethrow_if_nested(outer);
    } catch (...) {
        const auto inner = describe(std::current_exception());
        return "; because of " + inner.type + ": " + inner.message;
    }
    return {};
}

}  // namespace

failure_text describe(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return {boost::core::demangle(typeid(e).name()), kept_part(e.what() + text_of_cause(e))};
    } catch (const std::string& text) {
        return {"std::string", kept_part(text)};
    } catch (std::string_view text) {
        return {"std::string_view", kept_part(text)};
    } catch (const char* text) {
        return {"const char*", text ? kept_part(text) : unknown_message};
    } catch (const std::error_code& code) {
        return {"std::error_code", kept_part(std::string{code.category().name()} + ": " + code.message())};
    } catch (int number) {
        return {"int", std::to_string(number)};
    } catch (...) {
        const auto* type = abi::__cxa_current_exception_type();
        return {type ? boost::core::demangle(type->name()) : std::string{"unknown"}, unknown_message};
    }
}

std::string in_words(duration length) {
    const auto ms = length.count();
    return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

}  // namespace errand
