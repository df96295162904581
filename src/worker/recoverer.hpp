// Takes over the tasks of workers that gave no sign of life until their lease had run out.
#pragma once

#include "store/store.hpp"
#include "worker/on_dead.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <utility>
#include <vector>

namespace errand {

class recoverer final : public role {
public:
    recoverer(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in);

    awaitable<std::size_t> pass() override;
    void stop() override;
    // By handler: the attempts that were lost since this was asked last.
    figures_by_handler take_figures() { return std::exchange(lost_, {}); }

private:
    duration pause() override;
    // Without a value: its handler is to hear of its end first, so it is among `dead`. Counted in `lost`.
    std::optional<report> end_of(claimed_task& task, std::vector<lost_task>& dead, figures_by_handler& lost);

    worker_shared& shared_;
    store& in_;
    on_dead_queue on_dead_;
    figures_by_handler lost_;
    std::optional<duration> until_end_;  // of the first lease, as of the last round
};

}  // namespace errand
