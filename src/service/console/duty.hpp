// Coroutines that go on beside the requests, until they have ended by themselves or are stopped. On one loop.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include "runtime/async_gate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <set>

namespace errand::console {

class duties {
public:
    explicit duties(const boost::asio::any_io_executor& loop) : state_{std::make_shared<state>(loop)} {}

    void start(awaitable<void> what) {
        ++state_->running;
        boost::asio::co_spawn(state_->loop, std::move(what), [held = state_](std::exception_ptr) {
            --held->running;
            held->ended.open();
        });
    }
    bool stopping() const noexcept { return state_->stopping; }
    // Sooner when it is stopped.
    awaitable<void> pause(duration length) {
        const auto held = state_;
        boost::asio::steady_timer timer{held->loop, length};
        if (held->stopping) co_return;
        held->timers.insert(&timer);
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        held->timers.erase(&timer);
    }
    void end() {
        state_->stopping = true;
        for (auto* one : state_->timers) one->cancel();
    }
    awaitable<void> stop() {
        const auto held = state_;
        end();
        while (held->running > 0) co_await held->ended.wait();
    }

private:
    struct state {
        explicit state(const boost::asio::any_io_executor& on) : loop{on}, ended{on} {}
        boost::asio::any_io_executor loop;
        async_gate ended;
        std::set<boost::asio::steady_timer*> timers{};
        std::size_t running = 0;
        bool stopping = false;
    };
    std::shared_ptr<state> state_;
};

}  // namespace errand::console
