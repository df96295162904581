// What happens to a Redis, and to the connections that lead to it.
#include <errand/error.hpp>

#include "trial/faults.hpp"
#include "trial/judgement.hpp"
#include "trial/redis_ground.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

namespace trial {
namespace {

using namespace std::chrono_literals;
using errand::test::tcp_gate;
using std::chrono::milliseconds;

milliseconds length_of(int from, int to, site& at) { return milliseconds{between(from, to, at.random)}; }
redis_ground& redis(site& at) { return dynamic_cast<redis_ground&>(at.store()); }
std::size_t any_shard(site& at) { return at.random() % redis(at).shards(); }

template <class T>
T& any_of(const std::vector<T*>& all, dice& random) {
    return *all[random() % all.size()];
}

void cut(site& at) {
    redis(at).any_gate(at.random).cut();
    at.count("connection_cut");
}

void stall(site& at) {
    auto& gate = redis(at).any_gate(at.random);
    gate.stall(true);
    at.later(length_of(50, 1500, at), [&at, &gate] {
        gate.stall(false);
        at.count("connection_stalled");
    });
}

// Counts once it has happened: a gate may have nothing to pass on for a while.
void count_when_cut(site& at, tcp_gate& gate, const char* what, int looks = 20) {
    if (gate.reply_was_cut()) return at.count(what);
    if (looks > 0) at.later(100ms, [=, &at, &gate] { count_when_cut(at, gate, what, looks - 1); });
}

void truncate(site& at) {
    auto& gate = redis(at).any_gate(at.random);
    gate.cut_reply(static_cast<std::size_t>(between(1, 40, at.random)));
    count_when_cut(at, gate, "reply_truncated");
}

// The script has run; the submission is made again.
void lose_reply(site& at) {
    auto& gate = any_of(at.producers[at.random() % at.producers.size()]->to.gates, at.random);
    gate.cut_reply(0);
    count_when_cut(at, gate, "reply_lost");
}

// 1 or 10 Mbit/s, and an answer is 200 ms away.
void slow_line(site& at) {
    auto& gate = redis(at).any_gate(at.random);
    gate.slow(at.random() % 2 ? 125'000 : 1'250'000, 200ms);
    at.later(length_of(1000, 5000, at), [&at, &gate] {
        gate.slow(0, 0ms);
        at.count("slow_line");
    });
}

// As many as a worker has slots, so that one reply could carry the notes of all of them.
void submit_noisy(site& at) {
    try {
        for (std::size_t i = 0; i < slots_of_worker; ++i) {
            const auto h = at.app().block_on(at.app().perform("trial::noisy", {0}));
            at.note_accepted(h.id());
        }
    } catch (const errand::store_error&) {  // it is away, or full
    }
}

// For a moment some of what is submitted is as large as it may be. One worker alone stands still with it for longer than its
// lease, and takes it over from itself.
void submit_large(site& at) {
    submit_noisy(at);
    if (at.how.lone) {
        at.later(500ms, [&at] {
            if (auto* one = at.any_worker(at.random)) at.freeze_worker(*one, 2 * lease, "paused");
        });
    }
    const auto sign = at.file("journal") + ".large";
    std::ofstream{sign}.put('x');
    at.later(length_of(300, 800, at), [&at, sign] {
        std::filesystem::remove(sign);
        at.count("large");
    });
}

void flush_scripts(site& at) {
    redis(at).server_of(any_shard(at)).command({"SCRIPT", "FLUSH"});
    at.count("scripts_flushed");
}

void kill_and_restart(site& at) {
    const auto pause = length_of(0, 300, at);
    const auto shard = any_shard(at);
    const auto from = ms_now();
    redis(at).restart(shard, pause);
    at.miss(shard, from);
    at.count("store_restarted");
}

void freeze_store(site& at) {
    const auto length = length_of(200, 2500, at);
    const auto shard = any_shard(at);
    const auto from = ms_now();
    redis(at).server_of(shard).freeze();
    // Nothing else that asks the store comes before this.
    std::this_thread::sleep_for(length);
    redis(at).server_of(shard).thaw();
    at.miss(shard, from);
    at.count("store_frozen");
}

// Each in turn, dead or silent. Every other time nothing else strikes meanwhile, nor for a while before, so that whatever the
// tasks of the others suffer is its doing. Most of the time all are there.
void take_away(site& at) {
    auto& outages = at.happened.outages;
    const auto length = at.how.longest_outage;
    if (!outages.empty() && ms_now() < outages.back().to + 3 * length.count()) return;
    at.calm_down();
    if (outages.size() % 2 == 0) {
        at.draw_lots(false);
        at.go_on_for(8s);
    }
    const auto shard = outages.size() % redis(at).shards();
    auto& server = redis(at).server_of(shard);
    const bool silent = at.random() % 2 == 0;
    chronicle::outage one{.shard = shard, .from = ms_now()};
    silent ? server.freeze() : server.kill();
    at.go_on_for(length);
    one.to = ms_now();
    outages.push_back(one);
    silent ? server.thaw() : server.restart();
    at.miss(shard, one.from);
    at.draw_lots(true);
    at.count("server_of_shard_away");
}

void switch_over(site& at) {
    if (!redis(at).replica_is_there()) return;
    at.storm(3s);
    redis(at).fail_over();
    at.look_anew();
    at.count("fail_over");
}

// What the primary did last is not with its replica when that takes its place; and before it dies all have lost their
// connections, so that they ask once more, on new ones, for what they have not been told.
void fail_over_behind(site& at) {
    if (!redis(at).replica_is_there()) return;
    const auto from = ms_now();
    redis(at).hold_replica();
    at.go_on_for(length_of(200, 500, at));
    redis(at).cut_all();
    at.go_on_for(length_of(1000, 2000, at));
    redis(at).fail_over();
    at.happened.storms.push_back({from, ms_now() + 3000});
    at.look_anew();
    at.count("fail_over_behind");
}

// Under living connections: nobody is told.
void empty(site& at) {
    redis(at).primary().command({"FLUSHALL"});
    at.happened.emptyings.push_back(ms_now());
    at.count("store_emptied");
}

// The primary becomes the replica of its replica, and nobody is cut off.
void demote(site& at) {
    if (!redis(at).replica_is_there()) return;
    at.storm(3s);
    if (redis(at).change_places()) at.count("primary_demoted");
    at.look_anew();
}

}  // namespace

std::vector<fault> redis_faults(bool lone, bool replicated, bool sharded) {
    if (lone) return {{"empty_store", empty}, {"large", submit_large}};
    std::vector<fault> all{{"cut", cut},
                           {"stall", stall},
                           {"truncate", truncate},
                           {"lose_reply", lose_reply},
                           {"slow_line", slow_line},
                           {"large", submit_large},
                           {"flush_scripts", flush_scripts}};
    if (replicated) {
        all.push_back({"fail_over", switch_over});
        all.push_back({"fail_over_behind", fail_over_behind});
        all.push_back({"demote", demote});
    } else {
        all.push_back({"restart_store", kill_and_restart});
        all.push_back({"freeze_store", freeze_store});
    }
    if (sharded) all.push_back({"server_of_shard_away", take_away});
    return all;
}

std::vector<fault> redis_ground::faults() const { return redis_faults(lone_, replicated_, shards_ > 1); }

}  // namespace trial
