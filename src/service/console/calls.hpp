// The handlers of the console's route table, by the file of their subject.
#pragma once

#include "service/route.hpp"

namespace errand::console {

// page_calls.cpp
awaitable<web::answer> show_page(web::call& c);
awaitable<web::answer> show_file(web::call& c);

// session_calls.cpp
extern const web::fields login_fields;
awaitable<web::answer> show_session(web::call& c);
awaitable<web::answer> log_in(web::call& c);
awaitable<web::answer> log_out(web::call& c);

// look_calls.cpp
extern const web::fields view_query;
extern const web::fields tasks_query;
extern const web::fields find_query;
awaitable<web::answer> show_view(web::call& c);
awaitable<web::answer> watch_view(web::call& c);
awaitable<web::answer> show_tasks(web::call& c);
awaitable<web::answer> show_failures(web::call& c);
awaitable<web::answer> find_task(web::call& c);

// act_calls.cpp
extern const web::fields act_fields;
extern const web::fields edit_fields;
extern const web::fields switch_fields;
extern const web::fields run_fields;
extern const web::fields stop_fields;
awaitable<web::answer> act_on_tasks(web::call& c);
awaitable<web::answer> edit_task(web::call& c);
awaitable<web::answer> switch_queue(web::call& c);
awaitable<web::answer> switch_handler(web::call& c);
awaitable<web::answer> switch_schedule(web::call& c);
awaitable<web::answer> start_run(web::call& c);
awaitable<web::answer> stop_run(web::call& c);

}  // namespace errand::console
