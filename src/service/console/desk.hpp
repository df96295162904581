// What the console is asked, and who may ask it: its own route table, beside that of /v1.
#pragma once

#include "service/route.hpp"

#include <span>
#include <string>

namespace errand::web {
struct hub;
}

namespace errand::console {

std::span<const web::route> routes() noexcept;

// What something before the service has left of the path under which it offers it.
void take_prefix(web::request& in, const std::string& prefix);

// Where a request for one of these paths goes, and whether who asks may. Throws refusal.
web::found_route judge(web::request& in, web::hub& hub);

// For what needs one: whose login or token came with it. Throws refusal: 401, 403, and 503 when the list cannot be read.
void check_who(web::request& in, web::hub& hub, web::scope needed);

}  // namespace errand::console
