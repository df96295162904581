// Makes tasks ready when their time has come, and looks after queues whose wake-up was missed.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <string>

namespace errand {

// As what was not started in time ends.
std::string expired_outcome();

class promoter final : public role {
public:
    promoter(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    worker_shared& shared_;
    store& in_;
    std::string expired_;               // the outcome of a task that expires
    std::optional<duration> next_due_;  // from the end of the last round
};

}  // namespace errand
