// Shows that this worker is alive, and learns how many are.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <boost/json/object.hpp>

#include <functional>

namespace errand {

class heartbeat final : public role {
public:
    // How long a worker that shows no sign of life counts as alive.
    static constexpr duration lives_for = std::chrono::seconds{15};

    // `running`: how many tasks this worker runs now; `blocking`: which of them keep a thread to themselves. Called on the
    // executor's thread.
    heartbeat(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in,
              std::function<std::size_t()> running, std::function<std::vector<std::string>()> blocking);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override { return lives_for / 3; }
    // Who is told of tasks that stand aside is looked up here: a paused handler stands as one that nobody knows.
    void name_handlers();

    worker_shared& shared_;
    store& in_;
    std::function<std::size_t()> running_;
    std::function<std::vector<std::string>()> blocking_;
    boost::json::object card_;
    std::vector<std::string> named_;
};

}  // namespace errand
