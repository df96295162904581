// The handlers of the flows' route table, by the file of their subject, and the descriptions that they share with it.
#pragma once

#include "service/flow/places.hpp"
#include "service/flow/types.hpp"
#include "service/route.hpp"

#include <string>

namespace errand::flow {

// create_calls.cpp
extern const web::fields create_fields;
extern const web::fields create_batch_fields;
extern const web::fields create_query;
awaitable<web::answer> create_task(web::call& c);
awaitable<web::answer> create_batch(web::call& c);
// Each throws refusal.
void check_stage(const flow_type& type, const std::string& stage, const std::string& path, bool named);
void check_content(const detail::app_core& core, const flow_type& type, const std::string& text,
                   const std::string& path);

// look_calls.cpp
extern const web::fields look_query;
extern const web::fields list_query;
awaitable<web::answer> look_at_task(web::call& c);
awaitable<web::answer> list_flow_tasks(web::call& c);

// change_calls.cpp
extern const web::fields patch_fields;
extern const web::fields patch_headers;
extern const web::fields revive_fields;
awaitable<web::answer> cancel_flow_task(web::call& c);
awaitable<web::answer> patch_task(web::call& c);
awaitable<web::answer> revive_flow_task(web::call& c);

// hold_calls.cpp
extern const web::fields hold_type_fields;
extern const web::fields hold_fields;
awaitable<web::answer> hold_type(web::call& c);
awaitable<web::answer> hold_types(web::call& c);

// report_calls.cpp
extern const web::fields report_fields;
extern const web::fields reports_fields;
extern const web::fields leases_fields;
awaitable<web::answer> report_flow_task(web::call& c);
awaitable<web::answer> report_many(web::call& c);
awaitable<web::answer> extend_leases(web::call& c);

// type_calls.cpp
extern const web::fields type_fields;
extern const web::fields delete_type_query;
extern const web::fields count_type_query;
// The type of this name; where types appear by themselves it is made when it is not there. Throws refusal.
awaitable<flow_type> type_of(office at, std::string name, std::string path);
awaitable<web::answer> put_type(web::call& c);
awaitable<web::answer> patch_type(web::call& c);
awaitable<web::answer> list_types(web::call& c);
awaitable<web::answer> show_type(web::call& c);
awaitable<web::answer> pause_type(web::call& c);
awaitable<web::answer> resume_type(web::call& c);
awaitable<web::answer> count_type(web::call& c);
awaitable<web::answer> delete_type(web::call& c);

}  // namespace errand::flow
