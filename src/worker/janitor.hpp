// Deletes ended tasks whose retention is over, and the oldest of queues that keep too many.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

namespace errand {

class janitor final : public role {
public:
    janitor(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    worker_shared& shared_;
    store& in_;
};

}  // namespace errand
