// How the namespace stands, as text for monitoring: looked up at most once in five seconds, however many ask. On the service's loop.
#pragma once

#include <errand/app.hpp>

#include "client/whole_look.hpp"
#include "core/metric_text.hpp"
#include "service/shared_look.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace errand::web {

class store_page {
public:
    store_page(errand::app& of, const boost::asio::any_io_executor& executor)
        : app_{of}, looks_{executor, std::chrono::seconds{5}} {}

    // Throws store_error.
    awaitable<std::string> text(metric_form form);

private:
    struct ticks {
        duration late{0};
        std::int64_t missed = 0;
    };
    using ticks_by_handler = std::map<std::string, ticks>;
    struct figures {
        whole_look seen;
        std::vector<outbox_info> outboxes;
        ticks_by_handler schedules;
        std::chrono::steady_clock::duration took{};
    };

    awaitable<figures> look();
    awaitable<ticks_by_handler> look_at_schedules();
    static void write_schedules(metric_text& to, const ticks_by_handler& all);
    static std::string written(const figures& now, metric_form form);

    errand::app& app_;
    shared_look<figures> looks_;
};

}  // namespace errand::web
