// A limit of tasks that are spread over shards: each shard counts by itself what it was told to allow, and these shares add up to
// the limit. What one shard leaves goes to others that need it. Pure.
//
// Never more than the limit: a share is told as smaller first, and what it gives up is somebody else's only when the shard is
// known to have heard of it and no longer uses it. Until then it is `out`. Any program may do the next step; the record is changed
// by compare-and-set, and a shard obeys only what is newer than what it has heard, so one that is repeated or late does no harm.
#pragma once

#include <errand/limit.hpp>
#include <errand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// How many may run, or start in the time of the rate, in one shard.
struct share_part {
    int told = 0;
    int out = 0;  // what the shard may still believe, or use: at least `told`
    friend bool operator==(const share_part&, const share_part&) = default;
};

struct shard_share {
    std::uint64_t since = 0;  // the version of the record that has changed what it is told
    share_part running, starts;
    // When starts that are out have gone out of every window (ms, by its clock), if it has heard; 0: not known yet.
    std::int64_t starts_end = 0;
    friend bool operator==(const shard_share&, const shard_share&) = default;
};

struct limit_shares {
    std::uint64_t stamp =
        0;  // stands first; whoever writes the record makes another one, so that it is told from any other
    std::uint64_t version = 0;  // greater with each change, and than all that shards have heard
    std::string name;
    std::optional<limit_rule> rule;  // of all together; nothing: it is set no more
    std::vector<shard_share> of;     // each shard
};

std::string encode(const limit_shares& record);
// Throws bad_data when the bytes are not such a record.
limit_shares decode_limit_shares(std::string_view bytes);

// What this shard is told; nothing: that it is set no more. A rate of count 0: none starts, and who has started goes on as far as
// .max_running allows.
std::optional<limit_rule> rule_for_shard(const limit_shares& all, std::size_t shard);

// What a shard says of it.
struct seen_share {
    std::uint64_t heard = 0;  // the newest `since` that has come to it
    std::int64_t running = 0;
    std::int64_t waiting = 0;          // to start
    std::int64_t in_line = 0;          // to go on after they have waited for other tasks
    time_point now{};                  // by its clock
    std::optional<limit_rule> rule{};  // what it has heard
    // It runs on another server, or one that was started anew, since it has heard: what it lost then it may have lost of this, too,
    // so it lets nothing through until it hears it again.
    bool anew = false;
};

// Whether it is to be told what the record says of it.
bool is_to_hear(const shard_share& one, const seen_share& seen);

// Another rule for all together; `before`: nothing when there was none. Of what is out nothing is given twice. `seen`, `now`: as
// balance() takes them.
limit_shares with_rule(std::optional<limit_shares> before, std::string name, std::optional<limit_rule> rule,
                       std::span<const std::optional<seen_share>> seen, time_point now);

// Takes back what is used no more and shares out what is free; `seen`: of each shard, nothing of one that is away; `now`: by the
// clock of the record's shard. False: all stays as it is. Without `takes` no share is lowered: of limits that the same tasks pass
// one may lower at a time, or two small ones would change places for ever.
// What a shard has heard and the record does not know was lost with the record's last changes, by a fail-over: then none may start
// anything until it has heard again, and of what any may have heard meanwhile nothing is given to another so long. When the record's
// server is another one those that are away may have heard of anything.
bool balance(limit_shares& all, std::span<const std::optional<seen_share>> seen, time_point now,
             bool takes = true);

}  // namespace errand
