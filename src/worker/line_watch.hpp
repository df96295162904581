// Says how many lines about tasks were left out of the log, minute by minute.
#pragma once

#include "worker/role.hpp"

namespace errand {

class line_watch final : public role {
public:
    line_watch(detail::app_core& app, const boost::asio::any_io_executor& executor)
        : role{app, executor, "counting lines that were left out of the log"} {}

    awaitable<std::size_t> pass() override {
        app().lines.tell_left_out();
        co_return 0;
    }

protected:
    duration pause() override { return std::chrono::seconds{10}; }
};

}  // namespace errand
