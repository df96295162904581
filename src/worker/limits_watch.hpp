// Declares its handlers' limits again where a store has lost them: one that was emptied, or whose fail-over forgot them.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <string_view>

namespace errand {

// What is said when they cannot be declared yet.
inline constexpr std::string_view limits_stay =
    "limits stay as an earlier start declared them until their server is there";

// Before anything is claimed. False: the shard that keeps limits is away, and workers start without it.
awaitable<bool> declare_limits_if_there(detail::app_core& app, store& in);

// The worker has declared them when it started, or their server was away: then that is made good here. A round is asked for
// when its connection was lost.
class limits_watch final : public role {
public:
    limits_watch(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in)
        : role{shared.app, executor, "declaring limits again"}, shared_{shared}, in_{in} {}

    awaitable<std::size_t> pass() override;

private:
    duration pause() override { return std::chrono::days{1}; }

    worker_shared& shared_;
    store& in_;
    bool first_ = true;
};

}  // namespace errand
