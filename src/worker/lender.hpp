// Over several shards, limits of tasks that are spread: what a shard may let through follows what is needed there. One worker does
// it for all of the namespace, once a second while such a limit is set.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

namespace errand {

class lender final : public role {
public:
    lender(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in)
        : role{shared.app, executor, "sharing out limits"}, shared_{shared}, in_{in} {}

    // Whether anything was changed.
    awaitable<std::size_t> pass() override;

private:
    duration pause() override;
    bool may_be_shared();

    worker_shared& shared_;
    store& in_;
    bool settled_ = false;  // a worker that died may have left something
    limits_balance found_ = limits_balance::even;
};

}  // namespace errand
