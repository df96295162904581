// What happens to a Redis, and to the connections that lead to it.
#include "trial/faults.hpp"
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
    auto& gate = *at.producers[at.random() % at.producers.size()]->to.gate;
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

// For a moment some of what is submitted is as large as it may be.
void submit_large(site& at) {
    const auto sign = at.file("journal") + ".large";
    std::ofstream{sign}.put('x');
    at.later(length_of(300, 800, at), [&at, sign] {
        std::filesystem::remove(sign);
        at.count("large");
    });
}

void flush_scripts(site& at) {
    redis(at).primary().command({"SCRIPT", "FLUSH"});
    at.count("scripts_flushed");
}

void kill_and_restart(site& at) {
    const auto pause = length_of(0, 300, at);
    at.storm(pause + 2s);
    redis(at).restart(pause);
    at.count("store_restarted");
}

void freeze_store(site& at) {
    const auto length = length_of(200, 2500, at);
    at.storm(length + 2s);
    redis(at).primary().freeze();
    // Nothing else that asks the store comes before this.
    std::this_thread::sleep_for(length);
    redis(at).primary().thaw();
    at.count("store_frozen");
}

void switch_over(site& at) {
    if (!redis(at).replica_is_there()) return;
    at.storm(3s);
    redis(at).fail_over();
    at.look_anew();
    at.count("fail_over");
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

std::vector<fault> redis_faults(bool lone, bool replicated) {
    if (lone) return {{"empty_store", empty}};
    std::vector<fault> all{{"cut", cut},
                           {"stall", stall},
                           {"truncate", truncate},
                           {"lose_reply", lose_reply},
                           {"slow_line", slow_line},
                           {"large", submit_large},
                           {"flush_scripts", flush_scripts}};
    if (replicated) {
        all.push_back({"fail_over", switch_over});
        all.push_back({"demote", demote});
    } else {
        all.push_back({"restart_store", kill_and_restart});
        all.push_back({"freeze_store", freeze_store});
    }
    return all;
}

std::vector<fault> redis_ground::faults() const { return redis_faults(lone_, replicated_); }

}  // namespace trial
