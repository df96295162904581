// The namespaces that the service's app serves, beside each other: what there is in each, and what it may use.
//
// To look at all of them takes some questions for each, and a connection to those that are not the app's own: it is done once in ten
// seconds, however many watch. On the service's loop.
#pragma once

#include <errand/app.hpp>

#include "service/shared_look.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include <chrono>

namespace errand::console {

class tenants {
public:
    tenants(app& of, const boost::asio::any_io_executor& loop)
        : app_{of}, looks_{loop, std::chrono::seconds{10}} {}

    // Throws store_error.
    awaitable<boost::json::object> document();

private:
    awaitable<boost::json::object> look();

    app& app_;
    web::shared_look<boost::json::object> looks_;
};

}  // namespace errand::console
