// Extends the leases of all tasks that this process runs, so that a handler which computes on its thread does
// not cost its neighbours theirs.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/station.hpp"

#include <span>

namespace errand {

class lease_keeper final : public role {
public:
    lease_keeper(detail::app_core& app, const boost::asio::any_io_executor& executor, store& in,
                 std::span<station* const> stations);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override { return app().settings.lease / 3; }

    store& in_;
    std::span<station* const> stations_;
};

}  // namespace errand
