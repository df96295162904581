// Each metric that there is: what tests hold the docs, the alerts and the dashboard against.
#pragma once

#include "core/metric_list.hpp"

#include <array>

namespace errand::test {

inline constexpr std::array process_metrics{metric::tasks_submitted,
                                            metric::attempts_started,
                                            metric::attempts_finished,
                                            metric::attempt_failures,
                                            metric::tasks_expired,
                                            metric::leases_recovered,
                                            metric::reports_stale,
                                            metric::handlers_unknown,
                                            metric::loop_blocked,
                                            metric::store_calls,
                                            metric::store_reconnects,
                                            metric::outbox_tasks,
                                            metric::http_requests,
                                            metric::spans_dropped,
                                            metric::series_refused,
                                            metric::task_wait,
                                            metric::attempt_duration,
                                            metric::task_duration,
                                            metric::store_call_duration,
                                            metric::http_request_duration,
                                            metric::worker_slots,
                                            metric::worker_slots_busy,
                                            metric::worker_stopping,
                                            metric::reports_pending,
                                            metric::store_up,
                                            metric::http_streams,
                                            metric::build_info,
                                            metric::process_cpu,
                                            metric::process_memory,
                                            metric::process_files,
                                            metric::process_most_files,
                                            metric::process_start};

inline constexpr std::array store_metrics{
    metric::tasks,         metric::queue_head_age, metric::queue_paused,          metric::queue_workers,
    metric::workers,       metric::queue_ended,    metric::queue_attempts_failed, metric::outbox_backlog,
    metric::outbox_oldest, metric::schedule_late,  metric::schedule_missed,       metric::store_scrape};

}  // namespace errand::test
