// Does again what the worker's start has left out because a server was away, until it is done.
#pragma once

#include "worker/role.hpp"

#include <spdlog/logger.h>

#include <functional>
#include <utility>

namespace errand {

// Says whether nothing is left out any more.
using late_work = std::function<awaitable<bool>(detail::app_core&)>;

class late_start final : public role {
public:
    late_start(detail::app_core& of, const boost::asio::any_io_executor& executor)
        : role{of, executor, "declaring what its start has left out"} {}

    // Looked at soon, and when a server is there again.
    void take(late_work what) {
        app().log->warn("{}a server is away: what this program declares there is declared when it is back",
                        app().label());
        left_ = std::move(what);
        no_later_than(std::chrono::steady_clock::now() + looks_every);
    }
    awaitable<std::size_t> pass() override {
        if (!left_ || !co_await left_(app())) co_return 0;
        left_ = nullptr;
        co_return 1;
    }

private:
    static constexpr std::chrono::seconds looks_every{5};
    duration pause() override { return left_ ? duration{looks_every} : duration{std::chrono::days{1}}; }

    late_work left_{};
};

}  // namespace errand
