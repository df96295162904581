#include "runtime/task_event.hpp"

#include "core/attempt_rules.hpp"

#include <exception>

namespace errand {

event task_event(event_kind kind, const task_id& id, const task_body& body) {
    return {.kind = kind,
            .task = to_text(id),
            .handler = body.handler,
            .queue = body.queue,
            .submitted_at = body.submitted_at(),
            .due_at = body.due_at.value_or(body.submitted_at())};
}

event task_event(event_kind kind, const task_id& id, std::string_view encoded_body) {
    try {
        return task_event(kind, id, decode_body(encoded_body));
    } catch (const std::exception&) {
        return {.kind = kind, .task = to_text(id)};
    }
}

event task_event(event_kind kind, const claimed_task& task) {
    auto said = task_event(kind, task.id, task.body);
    said.queue = task.queue;
    return said;
}

std::optional<duration> wait_of(const task_body& body, const task_notes& before, time_point started) {
    const bool is_first = before.attempts == 0 && !before.snoozed && !before.revived;
    // When what it came after had ended is not known here.
    if (!is_first || !body.after.empty()) return std::nullopt;
    return started - body.due_at.value_or(body.submitted_at());
}

void tell_submitted(const event_stream& to, const submission_item& item, const submit_answer& answer) {
    if (!to.heard()) return;
    const bool own = answer.life == incarnation_of(item.body);
    const bool other = answer.verdict == submit_verdict::duplicate && !own;
    const auto kind = other ? event_kind::task_duplicate : event_kind::task_submitted;
    if (to.listened(kind))
        to.publish(task_event(kind, item.id, item.body));
    else
        to.count({.kind = kind, .queue = item.queue, .handler = handler_in(item.body)});
}

void submission_counts::add(event_kind kind, const submission_item& item) noexcept {
    const auto handler = handler_in(item.body);
    const bool is_alike = kind == alike_.kind && item.queue == alike_.queue && handler == alike_.handler;
    if (alike_.times > 0 && is_alike) {
        ++alike_.times;
        return;
    }
    tell();
    alike_ = {.kind = kind, .times = 1, .queue = item.queue, .handler = handler};
}

void submission_counts::tell() noexcept {
    if (alike_.times > 0) to_.count(alike_);
}

void tell_refused(const event_stream& to, const submission_item& item, const std::exception_ptr& why) {
    if (!to.heard()) return;
    auto said = task_event(event_kind::submission_refused, item.id, item.body);
    said.text = describe(why).message;
    to.publish(std::move(said));
}

}  // namespace errand
