#include "trial/faults.hpp"

#include "trial/silence.hpp"

#include <algorithm>
#include <csignal>
#include <numeric>

namespace trial {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

milliseconds moment(int from, int to, site& at) { return milliseconds{between(from, to, at.random)}; }

void kill(site& at) {
    if (auto* one = at.any_worker(at.random)) {
        one->lot = step::none;
        at.kill_worker(*one);
        at.count("killed");
    }
}

void freeze(site& at) {
    auto* one = at.any_worker(at.random);
    if (!one) return;
    at.freeze_worker(*one, lease + moment(700, 1500, at), "frozen_beyond_lease");
}

void terminate(site& at) {
    if (auto* one = at.any_worker(at.random)) {
        at.dismiss_worker(*one);
        at.count("terminated");
    }
}

// Its next life goes by another clock. Where that is the store's as well it is late by less than the store puts up with;
// one that is early has the others late.
void mislead(site& at) {
    auto* one = at.any_worker(at.random);
    if (!one) return;
    if (at.store().has_clock()) {
        const std::int64_t hours = between(1, 48, at.random);
        one->clock_shift = (at.random() % 2 ? hours : -hours) * 3'600'000;
    } else {
        one->clock_shift = -between(500, 3000, at.random);
    }
    at.dismiss_worker(*one);
    at.count("clock_of_worker_wrong");
}

void kill_producer(site& at) {
    const auto seat = at.random() % at.producers.size();
    at.producers[seat]->one->kill();
    at.start_producer(seat);
    at.count("producer_killed");
}

void shift_store_clock(site& at) {
    const bool back = at.random() % 4 == 0;
    at.shift_store_clock(back ? -between(500, 3000, at.random) : between(2'000, 300'000, at.random));
    at.count("clock_of_store_moved");
}

void fill_store(site& at) {
    const auto length = moment(500, 1500, at);
    at.storm(length + 2s);
    at.store().fill();
    at.later(length, [&at] {
        if (at.store().make_room()) at.count("store_full");
    });
}

// Around the lease: what it is handed meanwhile it reads when the lease is nearly or well over.
void pause_worker(site& at) {
    auto* one = at.any_worker(at.random);
    if (one) at.freeze_worker(*one, lease * between(5, 35, at.random) / 10, "paused");
}

// By more than a lease.
void set_back(site& at) {
    at.shift_store_clock(-between(1500, 5000, at.random));
    at.count("clock_of_store_set_back");
}

const std::vector<fault> of_many_workers{{"kill", kill},
                                         {"freeze", freeze},
                                         {"terminate", terminate},
                                         {"mislead", mislead},
                                         {"kill_producer", kill_producer}};
const std::vector<fault> of_one_worker{
    {"pause", pause_worker}, {"set_back", set_back}, {"silence", be_silent}};
const std::vector<fault> of_one_store{{"shift_store_clock", shift_store_clock}, {"fill_store", fill_store}};

void append(std::vector<fault>& to, const std::vector<fault>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<fault> faults_for(site& at) {
    auto all = at.how.lone ? of_one_worker : of_many_workers;
    if (!at.how.replicated && !at.how.lone) append(all, of_one_store);
    append(all, at.store().faults());
    return all;
}

std::vector<std::string> fault_names() {
    std::vector<fault> all;
    for (const auto& some : {of_many_workers, of_one_worker, of_one_store, redis_faults(true, false, false),
                             redis_faults(false, true, false), redis_faults(false, false, true),
                             guarded_faults(true), sqlite_faults()})
        append(all, some);
    std::vector<std::string> names;
    for (const auto& one : all) {
        if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
    }
    return names;
}

const fault& deck::draw() {
    if (left_.empty()) {
        left_.resize(all_.size());
        std::iota(left_.begin(), left_.end(), std::size_t{0});
        std::ranges::shuffle(left_, *random_);
    }
    const auto at = left_.back();
    left_.pop_back();
    return all_[at];
}

}  // namespace trial
