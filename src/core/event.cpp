#include "core/event.hpp"

#include <utility>

namespace errand {

std::string_view to_string(event_kind kind) noexcept {
    switch (kind) {
    case event_kind::worker_started: return "worker_started";
    case event_kind::worker_stopping: return "worker_stopping";
    case event_kind::worker_stopped: return "worker_stopped";
    case event_kind::store_trouble: return "store_trouble";
    case event_kind::limit_differs: return "limit_differs";
    case event_kind::task_submitted: return "task_submitted";
    case event_kind::task_duplicate: return "task_duplicate";
    case event_kind::submission_refused: return "submission_refused";
    case event_kind::task_claimed: return "task_claimed";
    case event_kind::task_started: return "task_started";
    case event_kind::task_succeeded: return "task_succeeded";
    case event_kind::task_retrying: return "task_retrying";
    case event_kind::task_snoozed: return "task_snoozed";
    case event_kind::task_given_back: return "task_given_back";
    case event_kind::task_dead: return "task_dead";
    case event_kind::task_expired: return "task_expired";
    case event_kind::task_cancelled: return "task_cancelled";
    case event_kind::handler_unknown: return "handler_unknown";
    case event_kind::lease_lost: return "lease_lost";
    case event_kind::task_recovered: return "task_recovered";
    case event_kind::report_accepted: return "report_accepted";
    case event_kind::report_stale: return "report_stale";
    case event_kind::overdue: return "overdue";
    case event_kind::ended_late: return "ended_late";
    case event_kind::loop_blocked: return "loop_blocked";
    case event_kind::commit_step: return "commit_step";
    case event_kind::delivery_refused: return "delivery_refused";
    case event_kind::failure: return "failure";
    }
    return "unknown";
}

event_brief brief_of(const event& what) noexcept {
    return {.kind = what.kind,
            .queue = what.queue,
            .handler = what.handler,
            .text = what.text,
            .trace_id = what.trace_id,
            .waited = what.waited,
            .submitted_at = what.submitted_at,
            .started_at = what.started_at,
            .ended_at = what.ended_at};
}

void event_stream::subscribe(event_listener to, kinds which) {
    std::lock_guard lock{audience_->guard};
    const auto& before = audience_->all;
    auto grown = before ? std::make_shared<listeners>(*before) : std::make_shared<listeners>();
    grown->push_back({std::move(to), which});
    audience_->all = std::move(grown);
    audience_->heard.fetch_or(which, std::memory_order_release);
}

void event_stream::count_by(event_counter& by, kinds which) {
    audience_->counter = &by;
    audience_->counted.store(which, std::memory_order_release);
}

void event_stream::count(const event_brief& what) const noexcept {
    if ((counted_kinds() & kind_bit(what.kind)) != 0) audience_->counter->count(what);
}

void event_stream::publish(event what) const {
    count(brief_of(what));
    if (!listened(what.kind)) return;
    what.name_space = name_space_;
    std::shared_ptr<const listeners> now;
    {
        std::lock_guard lock{audience_->guard};
        now = audience_->all;
    }
    for (const auto& one : *now) {
        if ((one.which & kind_bit(what.kind)) != 0) one.to(what);
    }
}

}  // namespace errand
