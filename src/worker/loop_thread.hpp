// A loop and the thread that runs it, from its start until it is closed.
#pragma once

#include "runtime/loop.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <functional>
#include <optional>
#include <string_view>
#include <thread>

namespace errand {

class loop_thread {
public:
    // `kind`: of its name, see app_core::next_name().
    explicit loop_thread(detail::app_core& app, std::string_view kind = {});
    ~loop_thread();

    loop& home() noexcept { return home_; }
    void start();
    // Calls `last` there, ends the connection, and joins the thread once what was told so has ended. Not from
    // there.
    void close(std::function<void()> last);

private:
    void run();
    void run_out();

    detail::app_core& app_;
    loop home_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
    std::thread thread_;
};

}  // namespace errand
