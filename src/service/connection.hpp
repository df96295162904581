// One client's connection: its requests, one after another. On the service's loop.
#pragma once

#include "service/hub.hpp"
#include "service/listener.hpp"
#include "service/route.hpp"

#include <memory>

namespace boost::asio::ssl {
class context;
}

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
    // What waits is to end when who asked for it may not do so any more.
    virtual void check_leave() = 0;
};

// @param of and what it asks for outlive it
// @param by what it speaks TLS with; null: none. It is needed for the call alone.
std::unique_ptr<connection> make_connection(hub& of, site& asked, stream_socket socket,
                                            boost::asio::ssl::context* by);

}  // namespace errand::web
