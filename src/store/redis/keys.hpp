// Every key and channel name of a shard is built here: errand:{<namespace>.<shard>}:<part>, and on a cluster
// errand:{<namespace>.~<salt>.<shard>}:<part> (slot.hpp).
//
// Names that come from users are escaped, so that none can reach into another's keys.
#pragma once

#include <errand/time.hpp>

#include "store/redis/address.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace errand::redis {

// Every byte outside A-Z a-z 0-9 _ . - as %XX; scripts/lib_entry.lua does the same.
std::string escaped(std::string_view name);
std::string unescaped(std::string_view name);

// Over how many shards a namespace is spread at this address: on a cluster, all.
inline std::optional<unsigned> spread_over(const address& at, unsigned shards) {
    return at.kind == server_kind::cluster ? std::optional{shards} : std::nullopt;
}

class keys {
public:
    // `over`: on a cluster, over how many shards the namespace is spread.
    keys(std::string_view name_space, unsigned shard, std::optional<unsigned> over = std::nullopt);

    // What stands between its keys' braces.
    std::string_view tag() const noexcept;
    // Then messages go to those who listen at the shard's own server.
    bool in_cluster() const noexcept { return in_cluster_; }

    // The shard's own keys, in the order in which scripts/lib_base.lua names them.
    std::span<const std::string> shard_keys() const noexcept { return shard_keys_; }

    // ready, urgent, due, idle, expiry, listed. Remembered: a program has few queues.
    std::span<const std::string> of_queue(std::string_view queue) const;

    std::string history(std::string_view queue, duration retention) const;
    // By what `histories` holds: queue and retention as they stand in the key.
    std::string history(std::string_view member) const;
    std::string tallies() const { return prefix_ + "tallies"; }
    std::string arrived() const { return prefix_ + "arrived"; }
    std::string settings() const { return prefix_ + "settings"; }
    std::string quota() const { return prefix_ + "quota"; }
    std::string requests(std::string_view name) const { return prefix_ + "requests:" + escaped(name); }
    std::string figures(std::int64_t period) const { return prefix_ + "figures:" + std::to_string(period); }
    // As scripts/lib_schedules.lua takes them.
    std::array<std::string, 3> of_schedules() const {
        return {prefix_ + "schedules", prefix_ + "schedule", prefix_ + "names"};
    }
    std::string channel(std::string_view worker) const;
    std::string channel_of_all() const { return prefix_ + "all"; }
    const std::string& tasks() const noexcept { return shard_keys_[0]; }
    const std::string& own() const noexcept { return shard_keys_[2]; }
    const std::string& leases() const noexcept { return shard_keys_[3]; }
    const std::string& claims() const noexcept { return shard_keys_[4]; }
    const std::string& lanes() const noexcept { return shard_keys_[5]; }
    const std::string& stale() const noexcept { return shard_keys_[7]; }
    const std::string& histories() const noexcept { return shard_keys_[9]; }
    const std::string& workers() const noexcept { return shard_keys_[10]; }
    const std::string& cards() const noexcept { return shard_keys_[11]; }
    const std::string& control() const noexcept { return shard_keys_[12]; }
    const std::string& counts() const noexcept { return shard_keys_[17]; }

private:
    std::string prefix_;
    bool in_cluster_;
    std::array<std::string, 18> shard_keys_;
    mutable std::map<std::string, std::array<std::string, 6>, std::less<>> queues_;
};

}  // namespace errand::redis
