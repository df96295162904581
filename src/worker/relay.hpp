// Delivers what transactions have committed and nobody has delivered: its process died, or the store was away.
#pragma once

#include "runtime/outbox_port.hpp"
#include "worker/frame.hpp"
#include "worker/role.hpp"

#include <map>

namespace errand {

class relay final : public role {
public:
    relay(worker_frame& frame, const boost::asio::any_io_executor& executor)
        : role{frame.app, executor, "delivering from outboxes"}, frame_{frame} {}

    // All databases of the app; how many tasks.
    awaitable<std::size_t> pass() override;

private:
    duration pause() override;
    awaitable<std::size_t> deliver(outbox_port& from);
    awaitable<void> clean(outbox_port& in);

    worker_frame& frame_;
    int failures_ = 0;  // passes in a row in which something failed
    std::chrono::steady_clock::time_point clean_at_{};
};

}  // namespace errand
