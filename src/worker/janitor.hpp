// Deletes ended tasks whose retention is over, and the oldest of queues that keep too many.
#pragma once

#include "store/store.hpp"
#include "worker/frame.hpp"
#include "worker/role.hpp"

namespace errand {

class janitor final : public role {
public:
    janitor(worker_frame& frame, const boost::asio::any_io_executor& executor, store& in);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    worker_frame& frame_;
    store& in_;
};

}  // namespace errand
