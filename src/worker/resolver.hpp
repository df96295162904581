// Tells waiting tasks what became of those they depend on, and schedules that runs of theirs have ended.
//
// News are written where a task ends, in the same step; whoever takes them here delivers them at least once and strikes
// them off afterwards, so nothing is lost wherever a process dies, and hearing them twice changes nothing.
#pragma once

#include "store/store.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

#include <span>

namespace errand {

class resolver final : public role {
public:
    resolver(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in);

    // Delivers until there are no more news.
    awaitable<std::size_t> pass() override;

private:
    duration pause() override;

    awaitable<std::size_t> tell_ended(std::span<const news> entries);
    awaitable<std::size_t> deliver_all(std::span<const news> entries);
    awaitable<std::size_t> deliver(std::span<const news> entries);
    // Tells the first page of each, then whoever is left.
    awaitable<std::size_t> deliver_to_dependents(std::span<const news> entries);
    awaitable<void> complete(task_id about);
    awaitable<std::size_t> deliver_rest(const news& one);
    awaitable<void> deliver_page(const news& one, std::span<const task_id> heirs, bool more);
    // Tells these; returns what is to be struck off.
    awaitable<std::vector<delivery>> tell(std::span<const news> entries);
    awaitable<std::string> outcome_of_checked(const task_id& child);
    std::string outcome_because_of(const task_id& parent, tidings how) const;

    worker_shared& shared_;
    store& in_;
    std::string gathered_;          // the outcome of a group whose members all succeeded
    std::optional<duration> next_;  // from the end of the last round
};

}  // namespace errand
