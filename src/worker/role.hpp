// A duty that a worker has beside its tasks: rounds, and the time between them. All of a worker run on its maintenance thread.
//
// One catch at the loop's top: a round that fails is an event, and the next one comes after a pause.
#pragma once

#include <errand/awaitable.hpp>

#include "runtime/app_core.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <string_view>

namespace errand {

// On its executor's thread only.
class role {
public:
    role(detail::app_core& app, const boost::asio::any_io_executor& executor, std::string_view name)
        : app_{app}, name_{name}, timer_{executor} {}
    virtual ~role() = default;
    role(const role&) = delete;
    role& operator=(const role&) = delete;

    // One round; returns how much it did.
    virtual awaitable<std::size_t> pass() = 0;
    // Rounds until stop(). Throws nothing.
    awaitable<void> run();
    // The next round comes at this time, if it was to come later.
    void no_later_than(std::chrono::steady_clock::time_point at);
    virtual void stop();

protected:
    // How long to wait after a round.
    virtual duration pause() = 0;
    detail::app_core& app() noexcept { return app_; }

private:
    awaitable<void> wait(duration length);

    detail::app_core& app_;
    std::string_view name_;
    boost::asio::steady_timer timer_;
    std::chrono::steady_clock::time_point next_{};
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::time_point::max();
    bool stopped_ = false;
};

}  // namespace errand
