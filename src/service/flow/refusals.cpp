#include "service/flow/refusals.hpp"

#include <utility>

namespace errand::flow {

web::refusal as_flows_say(web::refusal why) {
    if (why.status() == 429) why.use_code("rate_limited");
    return why;
}

boost::json::object error_of(const std::exception_ptr& why, const std::string& path) {
    // Each item of the calls about many is to change something.
    return web::json_of(as_flows_say(web::refusal_of(why, true, path)));
}

}  // namespace errand::flow
