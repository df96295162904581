// A mixed load on a private store, with everything going wrong that can, and a verdict: one line of JSON, and the exit
// code 1 when anything was lost, accepted twice, is stuck or contradicts itself. scripts/fault tells of the options.
#include "trial/faults.hpp"
#include "trial/judgement.hpp"
#include "trial/site.hpp"

#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace {

using namespace std::chrono_literals;
using namespace trial;

struct wishes {
    int seconds = 60;
    unsigned seed = 1;
    std::string store = "redis";
    std::string mode = "always";
    std::string hand = "hand";
    int rate = 60;
    std::vector<std::string> only{};
    bool no_lots = false;
    bool no_mount = false;
    int pause = 0;
    int patience = 90;
};

std::vector<fault> faults_of(site& at, const wishes& what) {
    auto all = faults_for(at);
    const auto unwanted = [&](const fault& one) {
        return std::ranges::find(what.only, one.name) == what.only.end();
    };
    if (!what.only.empty()) std::erase_if(all, unwanted);
    return all;
}

void burn(site& at, std::chrono::seconds length, const wishes& what) {
    deck faults{faults_of(at, what), at.random};
    const auto end = clock::now() + length;
    auto next = clock::now() + 1s;
    while (clock::now() < end) {
        at.tend();
        if (clock::now() >= next) {
            faults.draw().strike(at);
            next = clock::now() + std::chrono::milliseconds{what.pause + between(100, 700, at.random)};
        }
        std::this_thread::sleep_for(2ms);
    }
}

judgement carry_out(const terms& how, unsigned seed, std::chrono::seconds length, const wishes& what) {
    site at{how, seed};
    at.start();
    burn(at, length, what);
    at.finish();
    auto found = judge(at);
    for (const auto& one : found.words) std::fprintf(stderr, "trial: %s\n", one.c_str());
    if (!found.good(false)) std::fprintf(stderr, "trial: what is left is kept in %s\n", at.keep().c_str());
    return found;
}

judgement carry_out(const wishes& what) {
    terms alone{.every_second = what.mode == "everysec",
                .lots = !what.no_lots,
                .per_second = what.rate,
                .patience = std::chrono::seconds{what.patience},
                .hand = what.hand};
    terms two{.replicated = true,
              .confirmed = what.mode != "unconfirmed",
              .lots = !what.no_lots,
              .per_second = what.rate,
              .patience = std::chrono::seconds{what.patience},
              .hand = what.hand};
    const std::chrono::seconds length{what.seconds};
    if (what.store == "sqlite") {
        alone.embedded = true;
        alone.mounted = !what.no_mount;
        return carry_out(alone, what.seed, length, what);
    }
    if (what.mode == "everysec" || what.mode == "alone") return carry_out(alone, what.seed, length, what);
    if (what.mode == "unconfirmed" || what.mode == "replicated")
        return carry_out(two, what.seed, length, what);
    // A fifth of the time on a store that fails over.
    auto found = carry_out(alone, what.seed, length * 4 / 5, what);
    found.add(carry_out(two, what.seed + 1, length / 5, what));
    return found;
}

}  // namespace

int main(int count, char** words) try {
    wishes what;
    CLI::App app{"Errand under fire"};
    app.add_option("--seconds", what.seconds, "how long the load lasts")->check(CLI::Range(5, 86400));
    app.add_option("--seed", what.seed, "of all that is drawn by lot");
    app.add_option("--store", what.store,
                   "redis or sqlite: on a server, or on a file that all processes share")
        ->check(CLI::IsMember({"redis", "sqlite"}));
    app.add_flag("--no-mount", what.no_mount,
                 "sqlite: a full disk is only pretended, also when this user may mount one");
    app.add_option("--rate", what.rate, "submissions a second of each of three producers")
        ->check(CLI::Range(1, 10000));
    app.add_option("--mode", what.mode, "always (alone, then replicated), everysec or unconfirmed")
        ->check(CLI::IsMember({"always", "alone", "replicated", "everysec", "unconfirmed"}));
    app.add_option("--only", what.only, "these faults")->delimiter(',');
    app.add_option("--pause", what.pause, "ms more between faults")->check(CLI::Range(0, 60000));
    app.add_option("--patience", what.patience, "seconds at the end after which a task is stuck");
    app.add_flag("--no-lots", what.no_lots, "workers die only of faults, at no step drawn for them");
    app.add_option("--hand", what.hand, "the program of workers and producers");
    CLI11_PARSE(app, count, words);
    const auto found = carry_out(what);
    boost::json::object told{
        {"store", what.store}, {"mode", what.mode}, {"seed", what.seed}, {"seconds", what.seconds}};
    for (auto& [name, value] : to_json(found)) told[name] = value;
    std::printf("%s\n", boost::json::serialize(told).c_str());
    return found.good(what.mode == "everysec" || what.mode == "unconfirmed") ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "trial: %s\n", e.what());
    return 2;
}
