// The handlers of the table of lmstfy's admin API.
#pragma once

#include "service/route.hpp"

namespace errand::lmstfy {

// token_calls.cpp
awaitable<web::answer> make_token(web::call& c);
awaitable<web::answer> list_tokens(web::call& c);
awaitable<web::answer> delete_token(web::call& c);
awaitable<web::answer> add_limit(web::call& c);
awaitable<web::answer> set_limit(web::call& c);
awaitable<web::answer> show_limit(web::call& c);
awaitable<web::answer> delete_limit(web::call& c);
awaitable<web::answer> list_limits(web::call& c);

// about_calls.cpp
awaitable<web::answer> list_pools(web::call& c);
awaitable<web::answer> show_info(web::call& c);
awaitable<web::answer> show_version(web::call& c);
awaitable<web::answer> show_access_log(web::call& c);
awaitable<web::answer> switch_access_log(web::call& c);
awaitable<web::answer> show_metrics(web::call& c);
awaitable<web::answer> show_alive(web::call& c);
awaitable<web::answer> show_ready(web::call& c);

}  // namespace errand::lmstfy
