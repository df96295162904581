// The namespaces that the service's app serves, beside each other: what there is in each, and what it may use.
//
// To look at all of them takes some questions for each, and a connection to those that are not the app's own: it is done once in ten
// seconds, however many watch, and the connections end when nobody has watched for a while. On the service's loop.
#pragma once

#include <errand/app.hpp>

#include "client/whole_look.hpp"
#include "service/console/duty.hpp"
#include "service/shared_look.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <memory>
#include <set>
#include <string>

namespace errand::console {

class tenants {
public:
    tenants(app& of, const boost::asio::any_io_executor& loop,
            std::chrono::steady_clock::duration connected_for = std::chrono::minutes{1});
    ~tenants();
    tenants(const tenants&) = delete;
    tenants& operator=(const tenants&) = delete;

    // {"tenants": [a row each], "all"}. One that cannot be looked at has "trouble" and no figures. Throws what its own namespace has
    // thrown when none can be. `own`: what was seen of its own namespace already, if it was.
    awaitable<boost::json::object> document(std::shared_ptr<const whole_look> own = nullptr);
    // After the last call.
    awaitable<void> stop();

private:
    class lines;
    awaitable<boost::json::object> look(std::shared_ptr<const whole_look> own);
    awaitable<void> hang_up_when_unused();

    app& app_;
    duties duties_;
    web::shared_look<boost::json::object> looks_;
    std::chrono::steady_clock::duration connected_for_;
    std::unique_ptr<lines> lines_;  // null: nobody has watched lately
    std::chrono::steady_clock::time_point used_at_{};
    std::set<std::string> ailing_;  // could not be looked at lately
    bool looking_ = false;
};

}  // namespace errand::console
