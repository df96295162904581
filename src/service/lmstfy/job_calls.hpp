// The handlers of the table of lmstfy's API.
#pragma once

#include "service/route.hpp"

namespace errand::lmstfy {

// publish_calls.cpp
awaitable<web::answer> publish_job(web::call& c);
awaitable<web::answer> publish_bulk(web::call& c);
awaitable<web::answer> republish_job(web::call& c);

// queue_calls.cpp
awaitable<web::answer> consume_jobs(web::call& c);
awaitable<web::answer> acknowledge_job(web::call& c);
awaitable<web::answer> show_head(web::call& c);
awaitable<web::answer> show_job(web::call& c);
awaitable<web::answer> show_size(web::call& c);
awaitable<web::answer> destroy_queue(web::call& c);
awaitable<web::answer> show_dead(web::call& c);
awaitable<web::answer> show_dead_size(web::call& c);
awaitable<web::answer> respawn_dead(web::call& c);
awaitable<web::answer> drop_dead(web::call& c);

}  // namespace errand::lmstfy
