#include "core/job_rules.hpp"

namespace errand {

bool is_job(const task_body& body) noexcept { return body.handler == job_handler; }

std::optional<time_point> end_of_job(const task_body& body, const task_notes& notes) noexcept {
    if (notes.ends_at) return *notes.ends_at == time_point{} ? std::nullopt : notes.ends_at;
    if (notes.revived || !body.expires_after || body.policy_expires) return std::nullopt;
    return body.due_at.value_or(body.submitted_at()) + *body.expires_after;
}

}  // namespace errand
