// The handlers of the route table, by the file of their subject, and the descriptions that they share with it.
#pragma once

#include "service/route.hpp"

#include <boost/json/value.hpp>

namespace errand::web {

// about_calls.cpp
awaitable<answer> tell_alive(call& c);
awaitable<answer> tell_ready(call& c);
awaitable<answer> tell_routes(call& c);

// metrics_calls.cpp
awaitable<answer> show_metrics(call& c);
awaitable<answer> show_store_metrics(call& c);

// submission.cpp
extern const fields submission_fields;
extern const fields submit_headers;

// submit_calls.cpp
extern const fields batch_fields;
awaitable<answer> submit_task(call& c);
awaitable<answer> submit_batch(call& c);

// plan_calls.cpp
extern const fields plan_fields;
fields planned_fields();  // of each of its tasks
awaitable<answer> submit_plan(call& c);

// wait_calls.cpp
extern const fields wait_fields;
awaitable<answer> wait_for_tasks(call& c);

// task_calls.cpp
// Of a group that has succeeded: the results of its members are its own.
awaitable<void> add_results(errand::app& app, task_info& to);
// The same for who asked; with a token for some queues a group shows none, as its members may be in others.
awaitable<void> add_results(errand::app& app, const request& in, task_info& to);
extern const fields look_query;
extern const fields due_fields;
extern const fields change_fields;
awaitable<answer> show_task(call& c);
awaitable<answer> cancel_task(call& c);
awaitable<answer> revive_task(call& c);
awaitable<answer> reschedule_task(call& c);
awaitable<answer> change_task(call& c);

// look_calls.cpp
extern const fields list_query;
awaitable<answer> list_tasks(call& c);
awaitable<answer> list_queues(call& c);
awaitable<answer> list_workers(call& c);

// event_calls.cpp
awaitable<answer> watch_task(call& c);
awaitable<answer> watch_name_space(call& c);

// claim_calls.cpp
extern const fields claim_fields;
awaitable<answer> claim_tasks(call& c);

// work_calls.cpp
extern const fields report_batch_fields;
extern const fields extend_batch_fields;
extern const fields extend_fields;
awaitable<answer> report_batch(call& c);
awaitable<answer> extend_batch(call& c);
awaitable<answer> extend_task(call& c);

// attempt_calls.cpp
extern const fields report_fields;
extern const fields progress_fields;
extern const fields log_fields;
extern const fields stage_fields;
extern const fields stages_fields;
awaitable<answer> report_task(call& c);
awaitable<answer> tell_progress(call& c);
awaitable<answer> add_log(call& c);
awaitable<answer> keep_stage(call& c);
awaitable<answer> read_stages(call& c);

// operate_calls.cpp
extern const fields graph_query;
extern const fields history_query;
awaitable<answer> pause_queue(call& c);
awaitable<answer> resume_queue(call& c);
awaitable<answer> remove_task(call& c);
awaitable<answer> show_graph(call& c);
awaitable<answer> show_history(call& c);
awaitable<answer> show_figures(call& c);

// run_calls.cpp
extern const fields run_fields;
awaitable<answer> start_run(call& c);
awaitable<answer> list_runs(call& c);
awaitable<answer> show_run(call& c);
awaitable<answer> stop_run(call& c);

// schedule_calls.cpp
extern const fields schedule_query;
extern const fields schedule_fields;
extern const fields backfill_fields;
awaitable<answer> declare_schedule(call& c);
awaitable<answer> list_schedules(call& c);
awaitable<answer> show_schedule(call& c);
awaitable<answer> pause_schedule(call& c);
awaitable<answer> resume_schedule(call& c);
awaitable<answer> cancel_schedule(call& c);
awaitable<answer> run_schedule(call& c);
awaitable<answer> backfill_schedule(call& c);

// quota_calls.cpp
extern const fields quota_fields;
awaitable<answer> show_quota(call& c);
awaitable<answer> set_quota(call& c);
awaitable<answer> clear_quota(call& c);

// token_calls.cpp
extern const fields token_fields;
awaitable<answer> make_token(call& c);
awaitable<answer> list_tokens(call& c);
awaitable<answer> revoke_token(call& c);

// rule_calls.cpp
extern const fields limit_fields;
extern const fields settings_fields;
awaitable<answer> list_limits(call& c);
awaitable<answer> set_limit(call& c);
awaitable<answer> clear_limit(call& c);
awaitable<answer> list_handlers(call& c);
awaitable<answer> configure_handler(call& c);
awaitable<answer> show_settings(call& c);

// The parts of routes().
std::span<const route> task_routes() noexcept;
std::span<const route> work_routes() noexcept;
std::span<const route> operator_routes() noexcept;

answer json_answer(const boost::json::value& document, int status = 200);
// As it is: as a value it would be a copy.
answer json_answer(const boost::json::object& document, int status = 200);

}  // namespace errand::web
