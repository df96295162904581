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

// submit_calls.cpp
extern const fields submission_fields;
extern const fields batch_fields;
extern const fields submit_headers;
awaitable<answer> submit_task(call& c);
awaitable<answer> submit_batch(call& c);

// task_calls.cpp
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

// work_calls.cpp
extern const fields claim_fields;
extern const fields report_batch_fields;
extern const fields extend_batch_fields;
extern const fields extend_fields;
awaitable<answer> claim_tasks(call& c);
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

answer json_answer(const boost::json::value& document, int status = 200);

}  // namespace errand::web
