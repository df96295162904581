// Looks now and then whether tasks stand aside for this worker: what it was told may have been lost on the way.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <functional>

namespace errand {

class aside_watch final : public role {
public:
    // `found`: told when there are some.
    aside_watch(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in,
                std::function<void()> found);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    worker_shared& shared_;
    store& in_;
    std::function<void()> found_;
    bool any_ = false;
};

}  // namespace errand
