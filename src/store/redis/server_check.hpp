// Whether errand can work on this Redis at all; pure, from what INFO and the shard's own stamp say.
#pragma once

#include <errand/time.hpp>

#include "store/redis/address.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace errand::redis {

// A shard is made in the newest format, and stays in the one in which it was made: what this errand writes there older ones read.
inline constexpr int store_format = 4, oldest_format = 3;

// The value of a field of INFO; empty when it is not there.
std::string_view info_field(std::string_view info, std::string_view field);

// Each answers with one sentence saying what is wrong and what to do, or nothing.
std::optional<std::string> check_version(std::string_view info);
std::optional<std::string> check_eviction(std::string_view info);
// Whether it is of the kind that the URL says.
std::optional<std::string> check_kind(std::string_view info, server_kind said);
// How many replicas have their first copy.
int replicas_of(std::string_view info);
// What a fail-over would lose of what was accepted, with `wait` as the URL has it; nothing where that is well.
std::optional<std::string> warn_of_replicas(std::string_view info, int wait, server_kind kind);
// A cluster's cluster-node-timeout, in ms, is too long for who waits so long for an answer.
std::optional<std::string> warn_of_node_timeout(std::string_view milliseconds,
                                                std::optional<duration> patience);
std::optional<std::string> check_stamp(std::string_view format, std::string_view shards,
                                       unsigned shards_wanted);
// The same of what scripts/stamp.lua refused a connection with; nothing for any other error.
std::optional<std::string> refused_stamp(std::string_view error, unsigned shards_wanted);

}  // namespace errand::redis
