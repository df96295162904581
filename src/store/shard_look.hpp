// What is said of a shard to who only looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace errand {

// Where a shard is kept, and how much it holds, as its server says it to who only looks.
struct shard_look {
    unsigned shard = 0;
    std::string server;            // host:port on a cluster, else its URL without user and password
    std::optional<unsigned> slot;  // on a cluster
    std::string away;              // why nothing is known of what follows; empty: it is
    unsigned replicas = 0;         // that have their first copy
    std::uint64_t lag = 0;         // bytes that the slowest of these has not confirmed yet
    std::uint64_t tasks = 0;       // all that are kept, ended ones too
    std::uint64_t bytes = 0;       // about, of what is kept by task, without the lists of queues
};

}  // namespace errand
