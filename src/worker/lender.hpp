// Over several shards, limits of tasks that are spread: what a shard may let through follows what is needed there. One worker does
// it for all of the namespace, once a second while such a limit is set.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"

namespace errand {

class lender final : public role {
public:
    lender(detail::app_core& app, const boost::asio::any_io_executor& executor, store& in)
        : role{app, executor, "sharing out limits"}, in_{in} {}

    // Whether anything was changed.
    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    store& in_;
    bool settled_ = false;  // a worker that died may have left something
    bool changing_ = false;
};

}  // namespace errand
