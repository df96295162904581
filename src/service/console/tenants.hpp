// The namespaces that the service's app serves, beside each other: what there is in each, and what it may use.
//
// To look at all of them takes some questions for each, and a connection to those that are not the app's own: it is done once in ten
// seconds, however many watch. On the service's loop.
#pragma once

#include <errand/app.hpp>

#include "runtime/async_gate.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <exception>

namespace errand::console {

class tenants {
public:
    tenants(app& of, const boost::asio::any_io_executor& loop) : app_{of}, looked_{loop} {}

    // Throws store_error.
    awaitable<boost::json::object> document();

private:
    awaitable<void> look();
    bool is_fresh() const;

    app& app_;
    boost::json::object seen_;  // empty: nobody has looked
    std::chrono::steady_clock::time_point at_{};
    bool looks_ = false;
    async_gate looked_;
    std::exception_ptr failure_{};  // of the last look
};

}  // namespace errand::console
