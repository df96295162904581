#include "store/redis/slot.hpp"

#include <cstdint>

namespace errand::redis {

// CRC-16/XMODEM, as all clients of a cluster compute it.
unsigned slot_of(std::string_view tag) noexcept {
    constexpr std::uint32_t polynomial = 0x1021, most = 0xFFFF, top = 0x8000;
    std::uint32_t rest = 0;
    for (const char c : tag) {
        rest ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8;
        for (int bit = 0; bit < 8; ++bit) rest = ((rest << 1) ^ ((rest & top) != 0 ? polynomial : 0)) & most;
    }
    return rest % all_slots;
}

// By name alone some servers of six would have four of sixteen shards and others one. The number stands last for
// scripts/lib_away.lua, and a ~ comes from no user: it is escaped.
std::string spread_tag(std::string_view name_space, unsigned shard, unsigned shards) {
    // The first shard says of how many its namespace is: it is found by who asks for another number.
    const auto first = all_slots * shard / shards;
    const auto end = shard == 0 ? all_slots / most_shards_in_cluster : all_slots * (shard + 1) / shards;
    for (unsigned salt = 0;; ++salt) {
        std::string tag{name_space};
        tag.append(".~").append(std::to_string(salt)).append(".").append(std::to_string(shard));
        if (const auto slot = slot_of(tag); slot >= first && slot < end) return tag;
    }
}

}  // namespace errand::redis
