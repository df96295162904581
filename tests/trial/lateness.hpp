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
    // these times (ms). `timed`: when it was ready follows from the store's clock.
    std::optional<pid_t> is_late(std::size_t shard, std::int64_t ready, std::int64_t started, bool timed,
                                 std::int64_t within = starts_within) const;

private:
    using span = std::pair<std::int64_t, std::int64_t>;
    using service = std::map<pid_t, std::vector<span>>;  // spans in order
    static void cut(std::vector<span>& from, span hole);

    std::vector<service> serves_;      // each shard
    std::vector<std::int64_t> jumps_;  // of the store's clock
};

}  // namespace trial
