// Delivers what transactions have committed and nobody has delivered: its process died, or the store was away.
#pragma once

#include "runtime/outbox_port.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <map>

namespace errand {

class outbox_relay final : public role {
public:
    outbox_relay(worker_shared& shared, const boost::asio::any_io_executor& executor)
        : role{shared.app, executor, "delivering from outboxes"}, shared_{shared} {}

    // All databases of the app; how many tasks.
    awaitable<std::size_t> pass() override;

private:
    duration pause() override;
    awaitable<void> clean(outbox_port& in);

    worker_shared& shared_;
    int failures_ = 0;  // passes in a row in which something failed
    std::chrono::steady_clock::time_point clean_at_{};
};

}  // namespace errand
