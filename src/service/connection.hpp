// One client's connection: its requests, one after another. On the service's loop.
#pragma once

#include "service/hub.hpp"
#include "service/listener.hpp"
#include "service/route.hpp"

#include <memory>

namespace errand::web {

class site;

class connection {
public:
    virtual ~connection() = default;
    // Serves until the client has gone or the service stops. Throws nothing.
    virtual awaitable<void> run() = 0;
    // The service stops: what waits is to end, and after the request under way there is none.
    virtual void stop() = 0;
    // Ends it, whatever is under way.
    virtual void cut() = 0;
};

// @param of and what it asks for outlive it
std::unique_ptr<connection> make_connection(hub& of, site& asked, stream_socket socket);

}  // namespace errand::web
