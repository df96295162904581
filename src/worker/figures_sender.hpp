// Sends the store what became of the attempts of this worker, and of those that it took over, once a minute and at its end.
#pragma once

#include "store/store.hpp"
#include "worker/recoverer.hpp"
#include "worker/role.hpp"
#include "worker/station.hpp"

#include <span>

namespace errand {

class figures_sender final : public role {
public:
    figures_sender(detail::app_core& app, const boost::asio::any_io_executor& executor, store& in,
                   std::span<station* const> stations, recoverer& recovers)
        : role{app, executor, "sending figures"}, in_{in}, stations_{stations}, recovers_{recovers} {}

    // How many numbers were sent.
    awaitable<std::size_t> pass() override;
    // When all tasks have ended.
    awaitable<void> last_pass() { co_await send(); }

private:
    awaitable<std::size_t> send();
    duration pause() override { return std::chrono::minutes{1}; }

    store& in_;
    std::span<station* const> stations_;
    recoverer& recovers_;
    figures_by_handler unsent_;
    bool first_ = true;
};

}  // namespace errand
