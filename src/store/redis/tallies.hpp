// Reading `counts` and `tallies`: what happened in a shard so far. Pure.
#pragma once

#include "store/inspection.hpp"
#include "store/redis/reply.hpp"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace errand::redis {

struct known_counts {
    std::vector<std::string> queues;  // sorted
    totals so_far;
    std::unordered_map<std::string, std::int64_t> kept;  // queue -> ids in its history lists
};

using pairs = std::unordered_map<std::string, std::string>;

// Of a page of HSCAN: adds what stands there, but for sentinels, and returns where the next page begins ("0": there is none). Throws
// store_error when it is something else.
std::string add_page(pairs& to, const reply& from);
// Of what stands in `counts`.
known_counts read_counts(const pairs& from);
// Where the tally of a minute since 1970 stands, until that of an hour later takes its place.
std::string minute_field(std::int64_t minute);
// Where those of so many days stand, each under the day since 1970, the newest first.
std::vector<std::string> day_fields(std::int64_t newest, std::int64_t count);
// Of HMGET tallies with these fields; what stands in the place of that minute and is of another is passed over.
void add_tallies(totals_answer& to, const std::vector<std::string>& fields, const reply& texts,
                 std::int64_t minute);
// Of any HGETALL; without sentinels.
std::vector<std::pair<std::string, std::string>> read_pairs(const reply& from);
// Of ZRANGE … WITHSCORES, scores cut to whole numbers.
std::vector<std::pair<std::string, std::int64_t>> read_scores(const reply& from);

}  // namespace errand::redis
