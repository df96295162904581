// Sees when a handler keeps a worker's thread to itself for a second or longer.
#pragma once

#include "worker/role.hpp"
#include "worker/worker_thread.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace errand {

class loop_watch final : public role {
public:
    loop_watch(detail::app_core& app, const boost::asio::any_io_executor& executor,
               std::span<const std::unique_ptr<worker_thread>> threads);

    // Asks each thread that runs tasks for a sign of life, looks who has not answered the last time, and where that one is.
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
    // True: it has not answered, and it is time to say so.
    bool ask(worker_thread& at, question& one);
    void tell(question& one, std::pair<detail::app_core*, event> begun, std::string where);
    // Where the thread is, in words; empty where that cannot be told. Waits for its answer, not for long.
    awaitable<std::string> look_for(pid_t thread);

    std::span<const std::unique_ptr<worker_thread>> threads_;
    std::vector<question> questions_;
    boost::asio::steady_timer patience_;
};

}  // namespace errand
