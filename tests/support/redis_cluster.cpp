#include "support/redis_cluster.hpp"

#include "support/places.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

namespace errand::test {
namespace {

constexpr std::size_t all_slots = 16384;

std::string id_of(std::size_t at) {
    auto id = std::to_string(at + 1);
    return std::string(40 - id.size(), '0') + id;
}

// What a server writes of its cluster, so that none has to be introduced to the others.
struct plan {
    std::size_t primaries, servers;
    std::vector<int> ports, bus_ports;

    std::string seen_from(std::size_t own) const {
        std::ostringstream text;
        for (std::size_t at = 0; at < servers; ++at) {
            const auto primary = at % primaries;
            text << id_of(at) << " 127.0.0.1:" << ports[at] << '@' << bus_ports[at] << ' '
                 << (at == own ? "myself," : "") << (at == primary ? "master -" : "slave " + id_of(primary))
                 << " 0 0 " << primary + 1 << " connected";
            if (at == primary) {
                text << ' ' << all_slots * primary / primaries << '-'
                     << all_slots * (primary + 1) / primaries - 1;
            }
            text << '\n';
        }
        text << "vars currentEpoch " << primaries << " lastVoteEpoch 0\n";
        return text.str();
    }
};

// The line of CLUSTER NODES that a server says of itself, in words.
std::vector<std::string> own_line(const redis_server& of) {
    std::istringstream text{of.command({"CLUSTER", "NODES"})};
    for (std::string line; std::getline(text, line);) {
        if (line.find("myself") == line.npos) continue;
        std::istringstream words{line};
        std::vector<std::string> all;
        for (std::string word; words >> word;) all.push_back(word);
        return all;
    }
    return {};
}

template <class Condition>
void wait_for(const char* else_said, const Condition& holds) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!holds()) {
        if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error{else_said};
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

bool has_slot(const std::vector<std::string>& line, unsigned slot) {
    constexpr std::size_t first_range = 8;
    for (std::size_t at = first_range; at < line.size(); ++at) {
        if (line[at].starts_with('[')) continue;
        const auto dash = line[at].find('-');
        const auto from = std::stoul(line[at].substr(0, dash));
        const auto to = dash == std::string::npos ? from : std::stoul(line[at].substr(dash + 1));
        if (slot >= from && slot <= to) return true;
    }
    return false;
}

}  // namespace

redis_server::options redis_cluster::member(int port, int bus_port) const {
    redis_server::options how{.tcp = true};
    how.port = port;
    how.arguments = {"--cluster-enabled",
                     "yes",
                     "--cluster-config-file",
                     "nodes",
                     "--cluster-port",
                     std::to_string(bus_port),
                     "--cluster-node-timeout",
                     std::to_string(node_timeout_.count()),
                     "--repl-diskless-sync-delay",
                     "0"};
    return how;
}

redis_cluster::redis_cluster(std::chrono::milliseconds node_timeout, std::size_t primaries,
                             std::size_t replicas_of_each)
    : node_timeout_{node_timeout} {
    plan of{
        .primaries = primaries, .servers = primaries * (1 + replicas_of_each), .ports = {}, .bus_ports = {}};
    for (std::size_t at = 0; at < of.servers; ++at) {
        of.ports.push_back(another_port());
        of.bus_ports.push_back(another_port());
        ids_.push_back(id_of(at));
    }
    bus_ports_ = of.bus_ports;
    for (std::size_t at = 0; at < of.servers; ++at) {
        auto how = member(of.ports[at], of.bus_ports[at]);
        if (replicas_of_each > 0) how.files = {{"nodes", of.seen_from(at)}};
        servers_.push_back(std::make_unique<redis_server>(std::move(how)));
    }
    if (replicas_of_each == 0) introduce(of.ports);
    wait_for("the test's cluster is not whole", [this] { return is_whole(); });
}

// Valkey's end themselves where a file says that they are alone with their slots.
void redis_cluster::introduce(const std::vector<int>& ports) {
    for (std::size_t at = 0; at < servers_.size(); ++at) {
        const auto& one = *servers_[at];
        ids_[at] = one.command({"CLUSTER", "MYID"});
        one.command({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(at + 1)});
        one.command({"CLUSTER", "ADDSLOTSRANGE", std::to_string(all_slots * at / servers_.size()),
                     std::to_string(all_slots * (at + 1) / servers_.size() - 1)});
        if (at > 0)
            one.command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(ports[0]),
                         std::to_string(bus_ports_[0])});
    }
}

// One that no server has at this moment is given out twice, and one that is dead comes back to its own.
int redis_cluster::another_port() {
    for (;;) {
        if (const auto port = free_port(); given_ports_.insert(port).second) return port;
    }
}

std::string redis_cluster::url_of(std::size_t server) const {
    return "redis+cluster://127.0.0.1:" + std::to_string(servers_.at(server)->port());
}

std::string redis_cluster::url() const {
    auto all = url_of(0);
    for (std::size_t at = 1; at < servers_.size(); ++at)
        all += ",127.0.0.1:" + std::to_string(servers_[at]->port());
    return all;
}

std::optional<std::size_t> redis_cluster::owner_of(unsigned slot) const {
    constexpr std::size_t epoch = 6;
    std::optional<std::size_t> owner;
    unsigned long newest = 0;
    for (std::size_t at = 0; at < servers_.size(); ++at) {
        if (!servers_[at]->is_running()) continue;
        const auto line = own_line(*servers_[at]);
        // One that was deposed and has not heard of it has an older epoch.
        if (!has_slot(line, slot) || std::stoul(line.at(epoch)) < newest) continue;
        newest = std::stoul(line.at(epoch));
        owner = at;
    }
    return owner;
}

std::optional<std::size_t> redis_cluster::replica_of(std::size_t primary) const {
    constexpr std::size_t master = 3;
    for (std::size_t at = 0; at < servers_.size(); ++at) {
        if (!servers_[at]->is_running()) continue;
        const auto line = own_line(*servers_[at]);
        if (line.size() > master && line[master] == ids_[primary]) return at;
    }
    return std::nullopt;
}

bool redis_cluster::is_whole() const {
    return std::ranges::all_of(servers_, [](const auto& one) {
        if (!one->is_running()) return true;
        if (one->command({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) return false;
        const auto info = one->command({"INFO", "replication"});
        return info.find("role:master") != std::string::npos ||
               info.find("master_link_status:up") != std::string::npos;
    });
}

std::size_t redis_cluster::add(std::size_t known_to) {
    const auto port = another_port(), bus_port = another_port();
    servers_.push_back(std::make_unique<redis_server>(member(port, bus_port)));
    bus_ports_.push_back(bus_port);
    const auto& added = *servers_.back();
    ids_.push_back(added.command({"CLUSTER", "MYID"}));
    added.command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(server(known_to).port()),
                   std::to_string(bus_ports_[known_to])});
    // Who has not heard of it keeps following the one before when that leads no more.
    wait_for("the test's cluster does not know its new server", [this] {
        return std::ranges::all_of(servers_, [this](const auto& one) {
            return !one->is_running() ||
                   one->command({"CLUSTER", "NODES"}).find(ids_.back() + ' ') != std::string::npos;
        });
    });
    return servers_.size() - 1;
}

std::size_t redis_cluster::add_replica_of(std::size_t primary) {
    const auto at = add(primary);
    wait_for("a new server does not follow",
             [&] { return server(at).command({"CLUSTER", "REPLICATE", ids_[primary]}) == "OK"; });
    return at;
}

std::size_t redis_cluster::add_primary() {
    const auto at = add(0);
    wait_for("a new server does not see the whole cluster", [this] { return is_whole(); });
    return at;
}

redis_cluster::how_moved redis_cluster::move_slot(unsigned slot, std::size_t to) {
    wait_for("a slot of the test's cluster does not move", [&] { return try_to_move_slot(slot, to); });
    return can_move_slots(to) ? how_moved::as_a_whole : how_moved::key_by_key;
}

bool redis_cluster::try_to_move_slot(unsigned slot, std::size_t to) {
    const auto from = owner_of(slot);
    if (!from) return false;
    if (*from == to) return true;
    if (!can_move_slots(*from)) return move_keys(slot, *from, to);
    // One that failed is begun again; one that is under way is not disturbed.
    const auto number = std::to_string(slot);
    server(*from).command({"CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", number, number, "NODE", ids_[to]});
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{2};
    while (owner_of(slot) != to) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return true;
}

bool redis_cluster::can_move_slots(std::size_t at) const {
    return server(at).command({"CLUSTER", "MIGRATESLOTS"}).find("nknown") == std::string::npos;
}

bool redis_cluster::move_keys(unsigned slot, std::size_t from, std::size_t to) {
    const auto number = std::to_string(slot);
    auto &source = server(from), &target = server(to);
    const auto set = [&](const redis_server& at, const char* what, std::size_t who) {
        return at.command({"CLUSTER", "SETSLOT", number, what, ids_[who]}) == "OK";
    };
    if (!set(target, "IMPORTING", from) || !set(source, "MIGRATING", to)) return false;
    for (;;) {
        const auto key = source.command({"CLUSTER", "GETKEYSINSLOT", number, "1"});
        if (key.starts_with('-')) return false;
        if (key.empty()) break;
        // What goes away meanwhile need not move.
        const auto answer = source.command({"MIGRATE", "127.0.0.1", std::to_string(target.port()), key, "0",
                                            "5000", "REPLACE"});
        if (answer != "OK" && answer != "NOKEY") return false;
    }
    return set(target, "NODE", to) && set(source, "NODE", to);
}

bool redis_cluster::remove(std::size_t replica) {
    const auto& id = ids_.at(replica);
    const auto line = own_line(server(replica));
    if (line.size() < 4 || line[3] == "-" || replica_of(replica)) return false;
    for (std::size_t at = 0; at < servers_.size(); ++at) {
        if (at == replica || !servers_[at]->is_running()) continue;
        if (server(at).command({"CLUSTER", "NODES"}).find(id + ' ') == std::string::npos) continue;
        if (server(at).command({"CLUSTER", "FORGET", id}) != "OK") return false;
    }
    server(replica).kill();
    return true;
}

std::string redis_cluster::command(unsigned slot, const std::vector<std::string>& words) const {
    const auto owner = owner_of(slot);
    if (!owner) throw std::runtime_error{"no server of the test's cluster has the slot"};
    return servers_[*owner]->command(words);
}

namespace {

// ERRAND_TEST_FAIL_OVERS: so many seconds apart a replica of the shared cluster takes over, whatever is tested meanwhile.
class unrest {
public:
    explicit unrest(const redis_cluster& of) {
        const char* given = std::getenv("ERRAND_TEST_FAIL_OVERS");
        if (!given || !*given) return;
        strikes_ = std::jthread{
            [&of, gap = std::chrono::milliseconds{1000 * std::stol(given)}](const std::stop_token& over) {
                for (unsigned turn = 0; !over.stop_requested(); ++turn) {
                    std::this_thread::sleep_for(gap);
                    const auto leader = of.owner_of(static_cast<unsigned>(all_slots * (turn % 3) / 3 + 1));
                    const auto replica = leader ? of.replica_of(*leader) : std::nullopt;
                    if (replica) of.server(*replica).command({"CLUSTER", "FAILOVER"});
                }
            }};
    }

private:
    std::jthread strikes_;
};

}  // namespace

redis_cluster& shared_cluster() {
    static redis_cluster all{std::chrono::seconds{15}};
    static const unrest strikes{all};
    return all;
}

}  // namespace errand::test
