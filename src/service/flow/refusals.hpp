// How flows say no: as the REST interface does, with one code for all that there is too much of. Pure.
#pragma once

#include "service/refusal.hpp"

#include <boost/json/object.hpp>

#include <exception>
#include <string>

namespace errand::flow {

// With 429 the code is `rate_limited`, whatever is used up.
web::refusal as_flows_say(web::refusal why);
// The error of one of many items. `path` begins the path of what is at fault.
boost::json::object error_of(const std::exception_ptr& why, const std::string& path);

}  // namespace errand::flow
