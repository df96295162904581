#include "worker/attempt_span.hpp"

#include "runtime/app_core.hpp"
#include "worker/announce.hpp"

#include <algorithm>

namespace errand {
namespace {

std::string_view outcome_of(verdict kind) {
    switch (kind) {
    case verdict::succeed: return "success";
    case verdict::fail: return "retry";
    case verdict::bury: return "dead";
    case verdict::snooze: return "snoozed";
    case verdict::expire: return "expired";
    case verdict::postpone:
    case verdict::give_back: break;
    }
    return "given_back";
}

}  // namespace

void begin_span(detail::app_core& app, active_task& attempt) {
    if (!app.tracer && attempt.body.headers.empty()) return;
    const auto came = trace_in(attempt.body.headers);
    if (!app.tracer || (came && !came->sampled)) {
        if (came) attempt.around.trace = std::make_shared<const trace_context>(*came);
        return;
    }
    // Clocks of two servers may differ by more than a task has waited.
    const auto age =
        std::max(duration{0}, attempt.started_at.value_or(app.now()) - attempt.body.submitted_at());
    const bool joins = came && age < app.settings.trace_join_within;
    auto one = std::make_unique<open_span>(app.tracer, joins ? &*came : nullptr, span_kind::consumer,
                                           "process " + attempt.task.queue);
    if (came) one->link(*came);
    one->say("messaging.system", "errand");
    one->say("messaging.operation.name", "process");
    one->say("messaging.operation.type", "process");
    one->say("messaging.destination.name", attempt.task.queue);
    one->say("messaging.message.id", attempt.id());
    one->say("errand.handler", attempt.body.handler);
    one->say("errand.attempt", std::int64_t{attempt.number});
    attempt.around.trace = one->context();
    attempt.span = std::move(one);
}

void end_span(active_task& attempt, const decision& how) {
    if (!attempt.span) return;
    const auto one = std::move(attempt.span);
    const bool failed = how.kind == verdict::fail || how.kind == verdict::bury;
    std::string error;
    if (attempt.withdrawn) {
        error = "it was cancelled, or its lease was lost";
        one->say("errand.outcome", "withdrawn");
    } else {
        one->say("errand.outcome", std::string{outcome_of(how.kind)});
    }
    if (failed && !how.notes.errors.empty()) {
        const auto& why = how.notes.errors.back();
        one->say("error.type", why.type);
        const bool hidden = attempt.around.app && hides_messages(*attempt.around.app);
        error = why.message.empty() || hidden ? why.type : why.message;
    }
    one->end(std::move(error));
}

}  // namespace errand
