// An app whose tasks are done when a test says so, and the service on its namespace.
#pragma once

#include <errand/service.hpp>

#include "service/client.hpp"
#include "support/test_app.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace service_test {

// Its tasks stay where they are until it is opened again.
inline std::atomic<bool> shut{false};

struct parcel {
    errand::awaitable<boost::json::value> perform(boost::json::value what);
};

// One at a time.
struct bulky {
    errand::awaitable<boost::json::value> perform(boost::json::value what);
};

}  // namespace service_test

ERRAND_DECLARE_HANDLER(service_test::parcel, .name = "parcel", .queue = "parcels", .max_retry = 0)
ERRAND_DECLARE_HANDLER(service_test::bulky, .name = "bulky", .queue = "parcels", .max_running = 1)

namespace service_test {

struct counter : errand::test::test_app {
    explicit counter(errand::service_options how = {},
                     errand::config settings = errand::test::fresh_settings());
    ~counter();

    // The first of its addresses.
    std::string address() const { return addresses.front(); }
    client connect() const { return client{address()}; }
    // "/v1/<namespace>" + rest
    std::string path(std::string_view rest) const;
    // Submits by HTTP; its id.
    std::string submit(std::string_view body, const std::string& authority = {});
    // As the store knows it.
    errand::task_info task(const std::string& id);
    std::size_t tasks_in(errand::state in, const std::string& queue = "parcels");
    std::vector<std::string> log_lines();
    // Ends the service; what run() has thrown is thrown here.
    void stop_service();

    std::vector<std::string> addresses;
    std::unique_ptr<errand::service> service;

private:
    std::mutex guard_;  // of the lines
    std::vector<std::string> lines_;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace service_test
