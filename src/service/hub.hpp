// What the connections of a service share. On its loop.
#pragma once

#include <errand/service.hpp>

#include "runtime/async_gate.hpp"
#include "service/keyring.hpp"

#include <memory>
#include <optional>
#include <set>

namespace errand::lmstfy {
class office;
}

namespace errand::console {
class office;
}

namespace errand::web {

class connection;
class exchange;
class store_page;

struct hub : std::enable_shared_from_this<hub> {
    // Throws usage_error when the file of tokens cannot be read.
    hub(errand::app& of, const service_options& how, const boost::asio::any_io_executor& executor);

    errand::app& app;
    const service_options& options;
    const boost::asio::any_io_executor loop;
    access_log log;                   // as it is now
    std::optional<keyring> tokens{};  // none: nobody needs one
    std::set<connection*> connections{};
    std::shared_ptr<exchange> work{};                    // from the first request for it on
    std::shared_ptr<lmstfy::office> jobs{};              // of lmstfy's API, where that is offered
    std::shared_ptr<store_page> figures{};               // of the store, from the first request for them on
    std::shared_ptr<errand::console::office> console{};  // from the first request for it or for events on
    std::size_t accepting = 0;                           // listeners
    std::size_t waiting = 0;                             // requests that wait for a result
    bool looks_who_waits = false;                        // whether they may still do so
    bool stopping = false;
    bool counts_requests = true;  // those with a rate; false: it was said that the store does not answer
    async_gate changed;           // opened when one of these becomes less

    // A connection waits from now on: when its token lets nobody in any more it is to hear of it (connection::check_leave).
    void somebody_waits();
};

}  // namespace errand::web
