// The service at work: its listeners and connections, all on one loop.
#pragma once

#include <errand/service.hpp>

#include "runtime/async_gate.hpp"
#include "service/hub.hpp"
#include "service/listener.hpp"
#include "service/site.hpp"
#include "service/tls_files.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace errand {

class service::server {
public:
    // Throws usage_error for options that do not fit.
    server(app& of, service_options options);

    // Runs it, and keeps it until that has ended.
    static awaitable<void> run_held(std::shared_ptr<server> held);
    void stop();
    void reload_tls();

private:
    awaitable<void> run();
    awaitable<void> serve(boost::asio::any_io_executor executor);
    void start(web::hub& hub, web::site& asked, web::stream_socket socket, bool secure);
    awaitable<void> until_stopped(boost::asio::any_io_executor executor);
    awaitable<void> wind_up(std::shared_ptr<web::hub> hub);

    app& app_;
    const service_options options_;
    std::unique_ptr<web::tls_files> tls_;  // null: none
    std::vector<web::endpoint> endpoints_;
    std::vector<web::endpoint> own_admin_endpoints_;
    std::vector<web::endpoint> job_endpoints_;    // of lmstfy's API
    std::vector<web::endpoint> admin_endpoints_;  // of its admin API
    std::mutex guard_;                            // of what follows
    bool asked_to_stop_ = false;
    std::function<void()> wake_;  // while it serves: has until_stopped() look again
};

}  // namespace errand
