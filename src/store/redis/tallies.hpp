// Reading `counts` and `tallies`: what happened in a shard so far. Pure.
#pragma once

#include "store/inspection.hpp"
#include "store/redis/reply.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace errand::redis {

struct known_counts {
    std::vector<std::string> queues;  // sorted
    totals so_far;
    std::map<std::string, std::int64_t> kept;  // queue -> ids in its history lists
};

// Of HGETALL counts. Throws store_error when it is something else.
known_counts read_counts(const reply& from);
// Of HGETALL tallies, without what is true now.
totals_answer read_tallies(const reply& from);
// Of any HGETALL; without sentinels.
std::vector<std::pair<std::string, std::string>> read_pairs(const reply& from);
// Of ZRANGE … WITHSCORES, scores cut to whole numbers.
std::vector<std::pair<std::string, std::int64_t>> read_scores(const reply& from);

}  // namespace errand::redis
