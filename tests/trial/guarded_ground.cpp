#include "trial/guarded_ground.hpp"

#include "store/redis/slot.hpp"
#include "support/redis_cluster.hpp"
#include "support/replica.hpp"
#include "trial/faults.hpp"
#include "trial/site.hpp"

#include <stdexcept>
#include <string>

namespace trial {

using namespace std::chrono_literals;
using errand::test::holds_within;
using errand::test::redis_cluster;
using errand::test::redis_server;

namespace {

// One that is silent for longer is given up.
constexpr std::chrono::milliseconds given_up_after{3000};

class cluster_ground final : public guarded_ground {
public:
    explicit cluster_ground(const terms& how) : shards_{how.shards}, all_{given_up_after} {}

    std::string url() const override { return all_.url() + "?wait=1"; }
    std::vector<std::pair<std::string, std::string>> variables() const override {
        return {{"ERRAND_SHARDS", std::to_string(shards_)}};
    }
    std::size_t pairs() const override { return 3; }
    std::size_t servers() const override { return all_.size(); }
    redis_server& server(std::size_t at) const override { return all_.server(at); }
    std::optional<std::size_t> leader_of(std::size_t pair) const override {
        return all_.owner_of(slot_of(pair));
    }
    bool is_whole() const override {
        if (!all_.is_whole()) return false;
        for (std::size_t pair = 0; pair < pairs(); ++pair) {
            const auto leader = leader_of(pair);
            if (!leader || !all_.replica_of(*leader)) return false;
        }
        return true;
    }
    bool change_leader_of(std::size_t pair) override {
        const auto leader = leader_of(pair);
        const auto replica = leader ? all_.replica_of(*leader) : std::nullopt;
        return replica && all_.server(*replica).command({"CLUSTER", "FAILOVER"}) == "OK";
    }
    bool can_grow() const override { return true; }
    std::size_t add_follower_of(std::size_t pair) override {
        return all_.add_replica_of(leader_of(pair).value());
    }
    void hand_over_to(std::size_t follower) override {
        all_.server(follower).command({"CLUSTER", "FAILOVER"});
    }
    bool remove(std::size_t at) override { return all_.remove(at); }
    std::optional<std::size_t> other_pair_for(std::size_t shard) const override {
        const auto from = all_.owner_of(slot_of_shard(shard));
        for (std::size_t pair = 0; from && pair < pairs(); ++pair) {
            const auto to = leader_of(pair);
            if (to && *to != *from) return pair;
        }
        return std::nullopt;
    }
    bool move_shard(std::size_t number, std::size_t pair) override {
        const auto to = leader_of(pair);
        return to && all_.try_to_move_slot(slot_of_shard(number), *to);
    }

private:
    // One that it has from the beginning to the end.
    unsigned slot_of(std::size_t pair) const { return static_cast<unsigned>(16384 * pair / pairs() + 1); }
    unsigned slot_of_shard(std::size_t number) const {
        const auto all = static_cast<unsigned>(shards_);
        return errand::redis::slot_of(
            errand::redis::spread_tag("default", static_cast<unsigned>(number % shards_), all));
    }

    std::size_t shards_;
    redis_cluster all_;
};

class sentinel_ground final : public guarded_ground {
public:
    sentinel_ground() : first_{member()}, second_{member()} {
        // A Sentinel looks for replicas when it begins, and then every ten seconds.
        errand::test::replicate(first_, second_, [](const auto& holds) {
            if (!holds_within(20s, holds)) throw std::runtime_error{"the trial's replica does not follow"};
        });
        sentinel_.emplace(watching(first_));
        if (!holds_within(60s, [this] { return is_whole(); }))
            throw std::runtime_error{"the trial's Sentinel does not see the replica"};
    }

    std::string url() const override {
        return "redis+sentinel://127.0.0.1:" + std::to_string(sentinel_->port()) + "/shop?wait=1";
    }
    std::size_t pairs() const override { return 1; }
    std::size_t servers() const override { return 2; }
    redis_server& server(std::size_t at) const override { return at == 0 ? first_ : second_; }
    std::optional<std::size_t> leader_of(std::size_t) const override {
        const auto told = sentinel_->command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shop"});
        for (const std::size_t at : {0U, 1U}) {
            if (told == "127.0.0.1\n" + std::to_string(server(at).port())) return at;
        }
        return std::nullopt;
    }
    bool is_whole() const override {
        const auto leader = leader_of(0);
        if (!leader || !first_.is_running() || !second_.is_running()) return false;
        const auto other = server(1 - *leader).command({"INFO", "replication"});
        return other.find("master_link_status:up") != other.npos &&
               server(*leader).command({"INFO", "replication"}).find("role:master") != std::string::npos &&
               sentinel_->command({"SENTINEL", "REPLICAS", "shop"}).find("master-link-status\nok") !=
                   std::string::npos;
    }
    bool change_leader_of(std::size_t) override {
        return sentinel_->command({"SENTINEL", "FAILOVER", "shop"}) == "OK";
    }

private:
    static redis_server::options member() {
        return {.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}};
    }
    static redis_server::options watching(const redis_server& leader) {
        redis_server::options how{.tcp = true};
        how.files = {{"sentinel", "sentinel monitor shop 127.0.0.1 " + std::to_string(leader.port()) +
                                      " 1\nsentinel down-after-milliseconds shop " +
                                      std::to_string(given_up_after.count()) +
                                      "\nsentinel failover-timeout shop 3000\n"}};
        how.configuration = "sentinel";
        how.arguments = {"--sentinel"};
        return how;
    }

    mutable redis_server first_, second_;
    std::optional<redis_server> sentinel_;
};

}  // namespace

void guarded_ground::limit_memory(const char* most) {
    for (std::size_t at = 0; at < servers(); ++at) {
        if (server(at).is_running()) server(at).command({"CONFIG", "SET", "maxmemory", most});
    }
}

void guarded_ground::fill() { limit_memory("1mb"); }

bool guarded_ground::make_room() {
    limit_memory("0");
    return true;
}

std::vector<fault> guarded_ground::faults() const { return guarded_faults(can_grow()); }

std::unique_ptr<ground> make_cluster_ground(const terms& how) {
    return std::make_unique<cluster_ground>(how);
}
std::unique_ptr<ground> make_sentinel_ground() { return std::make_unique<sentinel_ground>(); }

}  // namespace trial
