// From a request to its answer. On the service's loop.
#pragma once

#include "service/route.hpp"

namespace errand::web {

class site;

// Throws refusal for another namespace than the one that is served.
void check_namespace(const found_route& found, const std::string& served);

// Thrown through a handler whose client has hung up.
struct client_gone {};

// Whatever goes wrong becomes an answer; what is the service's own fault is logged. Throws client_gone.
awaitable<answer> run_route(const request& in, found_route found, desk& at, const site& of);

}  // namespace errand::web
