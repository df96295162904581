// A mixed load on a private store, with everything going wrong that can, and a verdict: one line of JSON, and the exit
// code 1 when anything was lost, accepted twice, is stuck or contradicts itself. scripts/fault tells of the options.
#include "trial/faults.hpp"
#include "trial/judgement.hpp"
#include "trial/rewound.hpp"
#include "trial/site.hpp"
#include "trial/wishes.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <thread>

namespace {

using namespace std::chrono_literals;
using namespace trial;

// Of those that happen in this mode.
std::vector<fault> faults_of(site& at, const wishes& what) {
    auto all = faults_for(at);
    const auto unwanted = [&](const fault& one) {
        return std::ranges::find(what.only, one.name) == what.only.end();
    };
    if (!what.only.empty()) std::erase_if(all, unwanted);
    return all;
}

void check_names(const wishes& what) {
    const auto known = fault_names();
    for (const auto& one : what.only) {
        if (std::ranges::find(known, one) != known.end()) continue;
        std::string names;
        for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
        throw std::invalid_argument{"--only: there is no fault \"" + one + "\"; there are " + names};
    }
}

// What follows a fault is looked at where there is one worker: until all that there was has ended, some time after it, or for as long
// as a start may take and what the fault itself takes.
class aftermath {
public:
    explicit aftermath(site& at) : at_{at} {}

    void begin() { struck_ = looked_ = clock::now(), over_ = false; }
    bool is_over() {
        const auto now = clock::now();
        if (!at_.how.lone || over_ || now - struck_ > longest) return true;
        if (now - struck_ < shortest || now - looked_ < 50ms || !at_.is_calm()) return false;
        looked_ = now;
        return over_ = at_.is_idle();
    }

private:
    static constexpr auto shortest = 2500ms, longest = 13'000ms;
    site& at_;
    clock::time_point struck_{}, looked_{};
    bool over_ = true;
};

// Where everything fails all the time no start is ever late: now and then nothing strikes for as long as a start may take, and for as
// long before as a worker may work off what was left over. (Where it was said what strikes, that is all that happens.)
class lulls {
public:
    lulls(site& at, bool wanted) : at_{at}, wanted_{wanted && !at.how.lone} {}

    void have_one_if_due(clock::time_point end) {
        constexpr std::chrono::milliseconds length{starts_within + 4500};
        if (!wanted_ || clock::now() < next_ || end - clock::now() < length) return;
        at_.calm_down();
        at_.go_on_for(length);
        at_.count("lull");
        next_ = clock::now() + usually_after;
    }

private:
    static constexpr auto first_after = 12s, usually_after = 45s;
    site& at_;
    bool wanted_;
    clock::time_point next_ = clock::now() + first_after;
};

void burn(site& at, std::chrono::seconds length, const wishes& what) {
    aftermath of_last{at};
    lulls quiet{at, what.only.empty()};
    const auto possible = faults_of(at, what);
    deck faults{possible, at.random};
    const auto end = clock::now() + length;
    auto next = clock::now() + 1s;
    while (clock::now() < end) {
        at.tend();
        quiet.have_one_if_due(end);
        if (clock::now() >= next && of_last.is_over()) {
            if (!possible.empty()) faults.draw().strike(at);
            of_last.begin();
            next = clock::now() + std::chrono::milliseconds{what.pause + between(100, 700, at.random)};
        }
        std::this_thread::sleep_for(2ms);
    }
}

judgement carry_out(const terms& how, unsigned seed, const std::function<void(site&)>& what_happens) {
    site at{how, seed};
    at.start();
    what_happens(at);
    at.finish();
    auto found = judge(at);
    // Each other one is arranged so that it can be, as long as no other fault strikes meanwhile.
    constexpr std::size_t some_of_many = 4;
    if (found.outages >= some_of_many && found.outages_judged == 0)
        found.violate("unexplained", "of " + std::to_string(found.outages) +
                                         " times that a server was away none could be judged");
    for (const auto& one : found.words) std::fprintf(stderr, "trial: %s\n", one.c_str());
    if (!found.good(false)) std::fprintf(stderr, "trial: what is left is kept in %s\n", at.keep().c_str());
    return found;
}

judgement carry_out(const terms& how, unsigned seed, std::chrono::seconds length, const wishes& what) {
    return carry_out(how, seed, [&](site& at) { burn(at, length, what); });
}

terms terms_of(const wishes& what) {
    constexpr int usual_rate = 60;
    return {.lots = !what.no_lots,
            .schedules = !what.no_schedules,
            .limits = !what.no_limits,
            .per_second = what.rate > 0 ? what.rate : usual_rate,
            .patience = std::chrono::seconds{what.patience},
            .hand = what.hand};
}

terms alone(const wishes& what) {
    auto how = terms_of(what);
    how.every_second = what.mode == "everysec";
    how.embedded = what.store == "sqlite";
    how.mounted = !what.no_mount;
    return how;
}

// Seldom enough for its worker to be idle most of the time.
terms lone(const wishes& what) {
    auto how = alone(what);
    how.lone = true;
    how.shards = what.shards;
    how.older = 0;
    how.workers = how.producers = 1;
    // A wake-up that was lost is not seen where the next tick wakes its worker.
    how.lots = how.schedules = false;
    if (what.rate == 0) how.per_second = 3;
    return how;
}

terms two(const wishes& what) {
    auto how = terms_of(what);
    how.replicated = true;
    how.confirmed = what.mode != "unconfirmed";
    return how;
}

// On three servers, each of which is away at times.
terms sharded(const wishes& what, std::chrono::seconds length) {
    auto how = terms_of(what);
    how.shards = 3;
    how.longest_outage = std::clamp<std::chrono::milliseconds>(length / 15, 10s, 30s);
    return how;
}

// A fail-over takes some seconds, and each fault ends when all is whole again. Of redis_ground's own ways to fail it has none.
terms guarded(const wishes& what) {
    auto how = terms_of(what);
    how.replicated = true;
    how.guarded = what.mode == "cluster" ? terms::guard::cluster : terms::guard::sentinel;
    if (what.mode == "cluster") how.shards = 6;
    return how;
}

terms rewound(const wishes& what) {
    auto how = two(what);
    how.confirmed = how.lots = false;
    how.workers = 2;
    how.older = 0;
    how.producers = 0;
    return how;
}

judgement carry_out(const wishes& what) {
    const std::chrono::seconds length{what.seconds};
    const auto for_one = [&](const terms& how) { return carry_out(how, what.seed, length, what); };
    if (what.mode == "lone") return for_one(lone(what));
    if (what.mode == "unconfirmed" || what.mode == "replicated") return for_one(two(what));
    if (what.mode == "rewound") return carry_out(rewound(what), what.seed, give_a_number_twice);
    if (what.mode == "shards") return for_one(sharded(what, length));
    if (what.mode == "cluster" || what.mode == "sentinel") return for_one(guarded(what));
    if (what.mode != "always") return for_one(alone(what));
    // A fifth of the time with one worker, another on a store that fails over, and another on three servers.
    const bool embedded = what.store == "sqlite";
    const auto part = length / 5;
    auto found = carry_out(alone(what), what.seed, part * (embedded ? 4 : 2), what);
    found.add(carry_out(lone(what), what.seed + 1, part, what));
    if (embedded) return found;
    found.add(carry_out(two(what), what.seed + 2, part, what));
    found.add(carry_out(sharded(what, part), what.seed + 3, part, what));
    return found;
}

}  // namespace

int main(int count, char** words) try {
    int status = 0;
    const auto read = read_wishes(count, words, status);
    if (!read) return status;
    const auto& what = *read;
    if (!what.outbox.empty())
        throw std::invalid_argument{"--outbox is tried by a program of its own, scripts/fault"};
    if (what.piles) throw std::invalid_argument{"--long is tried by a program of its own, scripts/fault"};
    check_names(what);
    if (what.store == "sqlite" && what.mode != "always" && what.mode != "alone" && what.mode != "lone")
        throw std::invalid_argument{"--mode " + what.mode +
                                    " is one of Redis: a SQLite file has always, alone and lone"};
    if (what.shards > 1 && (what.store == "sqlite" || what.mode != "lone"))
        throw std::invalid_argument{"--shards is of --mode lone on Redis: --mode shards has three"};
    const auto found = carry_out(what);
    boost::json::object told{
        {"store", what.store}, {"mode", what.mode}, {"seed", what.seed}, {"seconds", what.seconds}};
    for (auto& [name, value] : to_json(found)) told[name] = value;
    std::printf("%s\n", boost::json::serialize(told).c_str());
    return found.good(what.mode == "everysec" || what.mode == "unconfirmed") ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "fault: %s\n", e.what());
    return 2;
}
