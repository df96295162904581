// A thread, and the loops that it runs on one io_context, from its start until they are closed.
#pragma once

#include "runtime/loop.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <sys/types.h>
#include <thread>

namespace errand {

class loop_thread {
public:
    // A user's coroutine that nobody awaits must not keep the program from ending.
    static constexpr std::chrono::seconds for_users{2};
    // Of errand's own each waits for a store or a database as long as that is given. What it asked of another thread comes back here.
    static constexpr std::chrono::seconds for_duties{30};

    // The loop of this app comes first. `last_chance`: how long what is left there may take when it closes. `kind`: of its name, see
    // app_core::next_name().
    loop_thread(detail::app_core& app, duration last_chance, std::string_view kind = {});
    ~loop_thread();

    loop& home() noexcept { return home_; }
    // One more. Before the start.
    loop& add(detail::app_core& app);
    void start();
    // From any thread: by what the system knows it; 0 as long as it has not started.
    pid_t system_id() const noexcept { return system_id_.load(); }
    // From any thread, while it runs: ends the connections.
    void disconnect();
    // Calls `last` there, ends the connections, and joins the thread once what was told so has ended. Not from
    // there.
    void close(std::function<void()> last);

private:
    void run();
    void run_out();

    detail::app_core& app_;
    duration last_chance_;
    loop home_;
    std::deque<loop> others_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
    std::atomic<pid_t> system_id_{0};
    std::thread thread_;
};

}  // namespace errand
