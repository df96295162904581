// Whether a task that was ready had to wait although a worker that served its queue had room for it.
#pragma once

#include "fault/journal.hpp"
#include "trial/chronicle.hpp"
#include "trial/judgement.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace trial {

class lateness {
public:
    // `without`: workers that do not count.
    lateness(const std::vector<fault_test::entry>& lines, const chronicle& happened,
             const std::set<pid_t>& without = {});

    // The worker that served with a free slot for longer than it may take (ms), while the store of this shard was there, between
    // these times (ms).
    std::optional<pid_t> is_late(std::size_t shard, std::int64_t ready, std::int64_t started,
                                 std::int64_t within = starts_within) const;

    // When that is due at the latest which was to be due then, as was said at `since`: the store's clock may have been set back,
    // and has to come there again. (Set ahead, it is due sooner.)
    std::int64_t due_at_latest(std::int64_t since, std::int64_t due) const;

private:
    using span = std::pair<std::int64_t, std::int64_t>;
    using service = std::map<pid_t, std::vector<span>>;  // spans in order
    static void cut(std::vector<span>& from, span hole);
    std::int64_t worked_off(pid_t pid, span within) const;

    std::vector<service> serves_;  // each shard
    std::map<pid_t, std::set<std::int64_t>>
        backlogs_;                               // seconds in which they are worked off; these do not count
    std::vector<chronicle::jump> set_back_;      // of the store's clock, in order
    std::map<pid_t, std::int64_t> late_clocks_;  // of workers that go by clocks of their own
};

// Of a program that lacks a handler.
std::set<pid_t> older_workers(const std::vector<fault_test::entry>& lines);

}  // namespace trial
