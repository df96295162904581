// A private Redis Cluster on this machine, of redis_server (so also of Valkey): primaries that share the slots evenly, and replicas
// of each. It ends with this object.
#pragma once

#include "support/redis_server.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace errand::test {

class redis_cluster {
public:
    // `node_timeout`: after so long a silent server is given up. On a busy machine one that only waits for its turn is, if it is short.
    explicit redis_cluster(std::chrono::milliseconds node_timeout = std::chrono::seconds{4},
                           std::size_t primaries = 3, std::size_t replicas_of_each = 1);
    redis_cluster(const redis_cluster&) = delete;
    redis_cluster& operator=(const redis_cluster&) = delete;

    // Naming one server alone, or all.
    std::string url_of(std::size_t server) const;
    std::string url() const;

    std::size_t size() const noexcept { return servers_.size(); }
    redis_server& server(std::size_t at) const { return *servers_.at(at); }
    // By what those that run say of themselves; nothing while no server has the slot.
    std::optional<std::size_t> owner_of(unsigned slot) const;
    // A replica of that server, by what those that run say of themselves.
    std::optional<std::size_t> replica_of(std::size_t primary) const;
    // Whether all that run see a whole cluster, and all replicas among them have their first copy.
    bool is_whole() const;
    // Another server, which follows this one; as long as it has not all of it the cluster is not whole. Returns its number.
    std::size_t add_replica_of(std::size_t primary);
    // Another server, which follows none and has no slots. Returns its number.
    std::size_t add_primary();
    // The slot and what it holds goes to that server. As a whole where the server that has it can do that, else key by key; returns
    // which. Throws when it does not come about.
    enum class how_moved : unsigned char { as_a_whole, key_by_key };
    how_moved move_slot(unsigned slot, std::size_t to);
    // False when something came in between: nobody has the slot at this moment, or one of the two does not lead any more. Asked again,
    // also for the server that leads in the place of that one, it begins anew with what is left.
    bool try_to_move_slot(unsigned slot, std::size_t to);
    // A replica leaves for good: the others forget it, and it ends. False while one of them still follows it, or does not know yet that
    // it is a replica.
    bool remove(std::size_t replica);
    // At the slot's owner.
    std::string command(unsigned slot, const std::vector<std::string>& words) const;

private:
    // A server that all know.
    std::size_t add(std::size_t known_to);
    bool can_move_slots(std::size_t at) const;  // as a whole
    bool move_keys(unsigned slot, std::size_t from, std::size_t to);
    redis_server::options member(int port, int bus_port) const;
    void introduce(const std::vector<int>& ports);  // servers without replicas to each other
    int another_port();

    std::chrono::milliseconds node_timeout_;
    std::vector<std::string> ids_;
    std::vector<int> bus_ports_;
    std::set<int> given_ports_;
    std::vector<std::unique_ptr<redis_server>> servers_;
};

// The one that tests of this program share while they break nothing of it. With ERRAND_TEST_FAIL_OVERS=2 in the environment one of its
// replicas takes over every two seconds.
redis_cluster& shared_cluster();

}  // namespace errand::test
