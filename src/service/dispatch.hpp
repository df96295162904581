// From a request to its answer. On the service's loop.
#pragma once

#include "service/route.hpp"

namespace errand::web {

// Throws refusal: no such path, method or namespace. `name_space`: the one that is served.
found_route need_route(const request& in, const std::string& name_space);

// Thrown through a handler whose client has hung up.
struct client_gone {};

// Whatever goes wrong becomes an answer; what is the service's own fault is logged. Throws client_gone.
awaitable<answer> run_route(const request& in, found_route found, desk& at);

}  // namespace errand::web
