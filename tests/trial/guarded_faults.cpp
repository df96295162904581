// What happens to Redis servers that choose by themselves who leads.
#include "trial/faults.hpp"
#include "trial/guarded_ground.hpp"

#include <string>

namespace trial {
namespace {

using namespace std::chrono_literals;

// A Sentinel that had to wait for its turn does nothing for half a minute.
constexpr auto longest_election = 90s;

guarded_ground& servers(site& at) { return dynamic_cast<guarded_ground&>(at.store()); }
std::size_t any_pair(site& at) { return at.random() % servers(at).pairs(); }

// The load goes on until it is so; what does not come about is a complaint.
template <class Condition>
void go_on_until(site& at, const char* what, const Condition& so) {
    const auto give_up = clock::now() + longest_election;
    while (!so()) {
        if (clock::now() > give_up) {
            at.complaints.push_back(std::string{"within 90 s "} + what);
            return;
        }
        at.go_on_for(100ms);
    }
}

// Until each pair is whole again, and clients have had a moment to go where they are told to, no start is awaited.
void come_to_rest(site& at, std::int64_t from, const char* counted) {
    go_on_until(at, "no leader with a replica came about", [&] { return servers(at).is_whole(); });
    at.happened.storms.push_back({from, ms_now() + 5000});
    at.look_anew();
    at.count(counted);
}

bool leads_another(site& at, std::size_t pair, std::size_t than) {
    const auto now = servers(at).leader_of(pair);
    return now && *now != than;
}

// Nobody dies: the leader hands over, or, behind a Sentinel, learns of it last.
void change_leader(site& at) {
    const auto pair = any_pair(at);
    const auto old = servers(at).leader_of(pair);
    const auto from = ms_now();
    if (!old || !servers(at).change_leader_of(pair)) return;
    go_on_until(at, "no other leader came about", [&] { return leads_another(at, pair, *old); });
    come_to_rest(at, from, "leader_changed");
}

// What comes back is empty: it is brought back when another one leads.
void kill_leader(site& at) {
    const auto pair = any_pair(at);
    const auto old = servers(at).leader_of(pair);
    if (!old) return;
    const auto from = ms_now();
    servers(at).server(*old).kill();
    go_on_until(at, "nobody took the dead leader's place", [&] { return leads_another(at, pair, *old); });
    servers(at).server(*old).restart();
    come_to_rest(at, from, "leader_killed");
}

// For longer than the others put up with. When it goes on it does first what it was asked before it has heard that it does not lead.
void freeze_leader(site& at) {
    const auto pair = any_pair(at);
    const auto old = servers(at).leader_of(pair);
    if (!old) return;
    const auto from = ms_now();
    servers(at).server(*old).freeze();
    at.go_on_for(std::chrono::milliseconds{between(5000, 9000, at.random)});
    servers(at).server(*old).thaw();
    come_to_rest(at, from, "leader_frozen");
}

// A process moves to another machine: one is added there as a replica and handed the lead, and the one before goes for good.
void replace_leader(site& at) {
    const auto pair = any_pair(at);
    const auto old = servers(at).leader_of(pair);
    if (!old) return;
    const auto from = ms_now();
    const auto added = servers(at).add_follower_of(pair);
    go_on_until(at, "an added server did not follow", [&] { return servers(at).is_whole(); });
    auto asked = clock::time_point{};
    go_on_until(at, "an added server did not lead", [&] {
        if (servers(at).leader_of(pair) == added) return true;
        if (clock::now() - asked < 2s) return false;
        asked = clock::now();
        servers(at).hand_over_to(added);
        return false;
    });
    go_on_until(at, "a server that leads no more could not be removed",
                [&] { return servers(at).remove(*old); });
    come_to_rest(at, from, "leader_replaced");
}

// Key by key on servers that know no other way: meanwhile whoever asks for the shard is told to try again. Where the machine has no time for
// the servers one may be given up half-way, and it goes on with who leads in its place.
void move_slot(site& at) {
    const std::size_t shard = at.random();
    const auto to = servers(at).other_pair_for(shard);
    if (!to) return;
    const auto from = ms_now();
    go_on_until(at, "a shard did not move", [&] { return servers(at).move_shard(shard, *to); });
    come_to_rest(at, from, "slot_moved");
}

void forget_scripts(site& at) {
    const auto leader = servers(at).leader_of(any_pair(at));
    if (!leader) return;
    servers(at).server(*leader).command({"SCRIPT", "FLUSH"});
    at.count("scripts_flushed");
}

}  // namespace

std::vector<fault> guarded_faults(bool can_grow) {
    std::vector<fault> all{{"change_leader", change_leader},
                           {"kill_leader", kill_leader},
                           {"freeze_leader", freeze_leader},
                           {"flush_scripts", forget_scripts}};
    if (can_grow) {
        all.push_back({"replace_leader", replace_leader});
        all.push_back({"move_slot", move_slot});
    }
    return all;
}

}  // namespace trial
