// Brings tasks from the shelf to the store, shortly before they fall due. Every worker does; rows that one has others pass over.
#pragma once

#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

namespace errand {

class shelver final : public role {
public:
    shelver(worker_shared& shared, const boost::asio::any_io_executor& executor)
        : role{shared.app, executor, "fetching from the shelf"}, shared_{shared} {}

    // All that will be due soon; how many.
    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    worker_shared& shared_;
    int failures_ = 0;  // passes in a row that failed
};

}  // namespace errand
