// Taking in who comes to where the service listens.
#pragma once

#include "service/hub.hpp"
#include "service/listener.hpp"

#include <functional>

namespace errand::web {

// Has one served from now on, and returns.
using begin_serving = std::function<void(stream_socket)>;

// Until the service stops, as long as fewer are connected than may be. One with whom `begin` does not get through, for want of memory or
// files, is turned away, and those after him are served: what he met may be over by then.
awaitable<void> take_in(listener& from, hub& of, begin_serving begin);

}  // namespace errand::web
