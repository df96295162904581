// A Redis that follows another one.
#pragma once

#include "support/redis_server.hpp"

#include <string>

namespace errand::test {

// `wait`: called with what is to hold, which is that the replica has its first copy.
template <class Wait>
void replicate(const redis_server& from, const redis_server& to, const Wait& wait) {
    to.command({"REPLICAOF", "127.0.0.1", std::to_string(from.port())});
    wait([&to] {
        return to.command({"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
    });
}

}  // namespace errand::test
