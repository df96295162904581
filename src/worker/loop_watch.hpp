// Sees when a handler keeps a worker's thread to itself for a second or longer.
#pragma once

#include "worker/role.hpp"
#include "worker/worker_thread.hpp"

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace errand {

class loop_watch final : public role {
public:
    loop_watch(detail::app_core& app, const boost::asio::any_io_executor& executor,
               std::span<const std::unique_ptr<worker_thread>> threads);

    // Asks each thread that runs tasks for a sign of life, and looks who has not answered the last time.
    awaitable<std::size_t> pass() override;
    // The tasks of this core's namespace whose handlers keep a thread now, as far as it is known which they are.
    std::vector<std::string> blocking(const detail::app_core& of) const;

private:
    // Shared with what is posted to the loop: there it is written, and here it is read once it is answered.
    struct answer {
        std::atomic<bool> there{true};
        std::string running{};  // what ran there then
    };
    struct question {
        std::chrono::steady_clock::time_point asked{};
        std::chrono::steady_clock::time_point tell_at{};  // if it is not answered until then
        duration told{};                                  // how much of it was measured
        std::shared_ptr<answer> answered = std::make_shared<answer>();
        std::string running{};                         // as the last answer said
        std::string blocks{};                          // the task that it waits for now
        const detail::app_core* blocks_for = nullptr;  // whose it is
    };

    duration pause() override { return std::chrono::milliseconds{500}; }
    void look(worker_thread& at, question& one);

    std::span<const std::unique_ptr<worker_thread>> threads_;
    std::vector<question> questions_;
};

}  // namespace errand
