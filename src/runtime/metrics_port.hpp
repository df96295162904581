// A port on which a worker shows what it measures, for programs without the HTTP service: GET /metrics and nothing else, on a thread
// of its own. What it is asked for keeps no task waiting.
#pragma once

#include "core/metric_text.hpp"

#include <functional>
#include <memory>
#include <string>

namespace errand {

class metrics_port {
public:
    // Listens on `address` (config::metrics) until its end. `page` is called on its thread.
    // Throws usage_error when it cannot be listened on, saying why.
    metrics_port(const std::string& address, std::function<std::string(metric_form)> page);
    ~metrics_port();
    metrics_port(const metrics_port&) = delete;
    metrics_port& operator=(const metrics_port&) = delete;

private:
    class listener;
    std::unique_ptr<listener> listener_;
};

}  // namespace errand
