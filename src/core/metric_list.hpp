// THE list of what errand measures: names, kinds, labels and what each says. Pages are written by it, and docs/monitoring/metrics.md
// is held against it by a test.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace errand {

enum class metric_kind : unsigned char { counter, gauge, histogram };

struct metric_family {
    std::string_view name;  // of a counter: with _total
    metric_kind kind;
    std::string_view help;
    std::span<const double> bounds{};  // of a histogram, in seconds; ascending
};

// Buckets of a histogram, at most; beside them that of all that takes longer.
inline constexpr std::size_t most_bounds = 18;

inline constexpr std::array<double, 18> attempt_bounds{.001, .0025, .005, .01, .025, .05, .1,  .25, .5,
                                                       1,    2.5,   5,    10,  30,   60,  300, 900, 3600};
inline constexpr std::array<double, 15> task_bounds{.01, .05, .1,  .5,   1,     5,     10,   30,
                                                    60,  300, 900, 3600, 14400, 43200, 86400};
inline constexpr std::array<double, 15> call_bounds{.0001, .00025, .0005, .001, .0025, .005, .01, .025,
                                                    .05,   .1,     .25,   .5,   1,     2.5,  5};
// A request may wait for a result.
inline constexpr std::array<double, 13> request_bounds{.001, .0025, .005, .01, .025, .05, .1,
                                                       .25,  .5,    1,    5,   30,   60};

namespace metric {

using enum metric_kind;

// ---- of a process ----
inline constexpr metric_family tasks_submitted{
    "errand_tasks_submitted_total", counter,
    "Submissions of this process, by what became of them: accepted, duplicate or refused."};
inline constexpr metric_family attempts_started{"errand_attempts_started_total", counter,
                                                "Attempts that this process has started."};
inline constexpr metric_family attempts_finished{
    "errand_attempts_finished_total", counter,
    "Attempts started here that are over: success, retry, dead, cancelled, snoozed, given_back or lost."};
inline constexpr metric_family attempt_failures{"errand_attempt_failures_total", counter,
                                                "Attempts that failed, by the type of their error."};
inline constexpr metric_family tasks_expired{"errand_tasks_expired_total", counter,
                                             "Tasks that this process found to be too late to start."};
inline constexpr metric_family leases_recovered{
    "errand_leases_recovered_total", counter,
    "Tasks that this process took over from workers that gave no sign of life."};
inline constexpr metric_family reports_stale{
    "errand_reports_stale_total", counter,
    "Reports that the store refused: the task belonged to another attempt or had ended."};
inline constexpr metric_family handlers_unknown{"errand_handlers_unknown_total", counter,
                                                "Tasks that this process took and has no handler for."};
inline constexpr metric_family loop_blocked{
    "errand_loop_blocked_seconds_total", counter,
    "How long handlers have kept threads of this worker busy, of all that lasted a second or longer."};
inline constexpr metric_family store_calls{"errand_store_calls_total", counter,
                                           "Calls of the store: ok or error."};
inline constexpr metric_family store_reconnects{
    "errand_store_reconnects_total", counter,
    "How often a connection to the store was there again after it had been lost."};
inline constexpr metric_family outbox_tasks{
    "errand_outbox_tasks_total", counter,
    "Tasks that this process brought from a database's outbox to the store: delivered or refused."};
inline constexpr metric_family http_requests{"errand_http_requests_total", counter,
                                             "Requests that the HTTP service has answered."};
inline constexpr metric_family spans_dropped{
    "errand_spans_dropped_total", counter,
    "Spans that the collector did not take, or that were more than are kept while it is away."};
inline constexpr metric_family series_refused{
    "errand_series_refused_total", counter,
    "What was counted under _other because there were as many queues, handlers or errors as are kept apart."};

inline constexpr metric_family task_wait{"errand_task_wait_seconds", histogram,
                                         "From when a task was due to its first start.", attempt_bounds};
inline constexpr metric_family attempt_duration{"errand_attempt_duration_seconds", histogram,
                                                "How long attempts ran that ended with success or failure.",
                                                attempt_bounds};
inline constexpr metric_family task_duration{
    "errand_task_duration_seconds", histogram,
    "From the submission of a task to its end, of those that succeeded or died.", task_bounds};
inline constexpr metric_family store_call_duration{"errand_store_call_duration_seconds", histogram,
                                                   "How long calls of the store took, with their repeats.",
                                                   call_bounds};
inline constexpr metric_family http_request_duration{
    "errand_http_request_duration_seconds", histogram,
    "From the first byte of a request to the last of its answer.", request_bounds};

inline constexpr metric_family worker_slots{"errand_worker_slots", gauge,
                                            "Attempts that this worker may run at once."};
inline constexpr metric_family worker_slots_busy{
    "errand_worker_slots_busy", gauge,
    "Tasks that this worker has in hand, without those that wait for other tasks."};
inline constexpr metric_family worker_stopping{"errand_worker_stopping", gauge,
                                               "1 while this worker stops, else 0."};
inline constexpr metric_family reports_pending{"errand_reports_pending", gauge,
                                               "Ends of attempts that the store has not confirmed yet."};
inline constexpr metric_family store_up{"errand_store_up", gauge,
                                        "0 while a connection to the store is lost or refused, else 1."};
inline constexpr metric_family http_streams{"errand_http_streams", gauge,
                                            "Streams of events that clients of the HTTP service listen to."};
inline constexpr metric_family build_info{"errand_build_info", gauge,
                                          "1; the label says which errand this is."};

inline constexpr metric_family process_cpu{"process_cpu_seconds_total", counter,
                                           "Processor time, user and system."};
inline constexpr metric_family process_memory{"process_resident_memory_bytes", gauge, "Memory in use."};
inline constexpr metric_family process_files{"process_open_fds", gauge, "Open files and sockets."};
inline constexpr metric_family process_most_files{"process_max_fds", gauge, "How many may be open."};
inline constexpr metric_family process_start{"process_start_time_seconds", gauge,
                                             "When the process began, in seconds of Unix time."};

// ---- of a namespace ----
inline constexpr metric_family tasks{"errand_tasks", gauge,
                                     "Tasks by queue and state, ended ones while they are kept."};
inline constexpr metric_family queue_head_age{
    "errand_queue_head_age_seconds", gauge,
    "How long ago the task that is next was submitted; 0 where none is ready."};
inline constexpr metric_family queue_paused{"errand_queue_paused", gauge,
                                            "1 while the queue is paused, else 0."};
inline constexpr metric_family queue_workers{"errand_queue_workers", gauge,
                                             "Workers that serve the queue and are not stopping."};
inline constexpr metric_family workers{"errand_workers", gauge, "Workers that give signs of life."};
inline constexpr metric_family queue_ended{
    "errand_queue_ended_total", counter,
    "Tasks that have ended, by how, of the 400 days that the store keeps counts of."};
inline constexpr metric_family queue_attempts_failed{
    "errand_queue_attempts_failed_total", counter,
    "Attempts that failed and were tried again, since the namespace was made."};
inline constexpr metric_family outbox_backlog{
    "errand_outbox_backlog", gauge, "Tasks committed in a database that the store does not have yet."};
inline constexpr metric_family outbox_oldest{"errand_outbox_oldest_seconds", gauge,
                                             "How long the oldest of them has waited."};
inline constexpr metric_family schedule_late{
    "errand_schedule_late_seconds", gauge,
    "How long ago the tick was due that nobody has fired, of all schedules of the handler the longest; else 0."};
inline constexpr metric_family schedule_missed{
    "errand_schedule_ticks_missed", gauge,
    "Ticks that nobody fired in time, of the handler's schedules that there are."};
inline constexpr metric_family store_scrape{"errand_store_scrape_seconds", gauge,
                                            "How long it took to ask the store for this page."};

}  // namespace metric

}  // namespace errand
