// Where on a Redis Cluster keys lie: each tag has one of 16384 slots, and each server some of these. Pure.
#pragma once

#include <string>
#include <string_view>

namespace errand::redis {

inline constexpr unsigned all_slots = 16384;
inline constexpr unsigned most_shards_in_cluster = 64;

// Of the keys that have this text between their first braces.
unsigned slot_of(std::string_view tag) noexcept;

// The tag of a shard, which is one of so many: its slot lies in the shard's part of all slots, so that shards are spread as evenly as
// the slots are. The first one's is the same however many there are. `name_space`: escaped.
std::string spread_tag(std::string_view name_space, unsigned shard, unsigned shards);

}  // namespace errand::redis
