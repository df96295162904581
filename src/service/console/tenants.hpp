// The namespaces that the service's app serves, beside each other: what there is in each, and what it may use.
//
// To look at all of them takes some questions for each, and a connection to those that are not the app's own: it is done once in ten
// seconds, however many watch. On the service's loop.
#pragma once

#include <errand/app.hpp>

#include <boost/json/object.hpp>

#include <chrono>

namespace errand::console {

class tenants {
public:
    explicit tenants(app& of) : app_{of} {}

    // Throws store_error.
    awaitable<boost::json::object> document();

private:
    app& app_;
    boost::json::object seen_;  // empty: nobody has looked
    std::chrono::steady_clock::time_point at_{};
};

}  // namespace errand::console
