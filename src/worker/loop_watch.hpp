// Sees when a handler keeps a worker's thread to itself for a second or longer.
#pragma once

#include "worker/role.hpp"
#include "worker/worker_thread.hpp"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace errand {

class loop_watch final : public role {
public:
    loop_watch(detail::app_core& app, const boost::asio::any_io_executor& executor,
               std::span<const std::unique_ptr<worker_thread>> threads);

    // Asks each thread that runs tasks for a sign of life, and looks who has not answered the last time.
    awaitable<std::size_t> pass() override;

private:
    // Shared with what is posted to the loop.
    struct question {
        std::chrono::steady_clock::time_point asked{};
        std::shared_ptr<std::atomic<bool>> answered = std::make_shared<std::atomic<bool>>(true);
        bool told = false;
    };

    duration pause() override { return std::chrono::milliseconds{500}; }
    void look(worker_thread& at, question& one);

    std::span<const std::unique_ptr<worker_thread>> threads_;
    std::vector<question> questions_;
};

}  // namespace errand
