#include "trial/faults.hpp"

#include <algorithm>
#include <csignal>
#include <numeric>

namespace trial {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

milliseconds some(int from, int to, site& at) { return milliseconds{between(from, to, at.random)}; }

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
    one->frozen = true;
    one->one->signal(SIGSTOP);
    at.later(lease + some(700, 1500, at), [&at, one, pid = one->one->pid()] {
        if (one->one->pid() != pid) return;
        one->frozen = false;
        one->one->signal(SIGCONT);
        at.count("frozen_beyond_lease");
    });
}

void terminate(site& at) {
    if (auto* one = at.any_worker(at.random)) {
        one->leaving = true;
        one->one->signal(SIGTERM);
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
    one->leaving = true;
    one->one->signal(SIGTERM);
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
    const auto length = some(500, 1500, at);
    at.storm(length + 2s);
    at.store().fill();
    at.later(length, [&at] {
        if (at.store().make_room()) at.count("store_full");
    });
}

}  // namespace

std::vector<fault> faults_for(site& at) {
    std::vector<fault> all{{"kill", kill},
                           {"freeze", freeze},
                           {"terminate", terminate},
                           {"mislead", mislead},
                           {"kill_producer", kill_producer}};
    if (!at.how.replicated) {
        all.push_back({"shift_store_clock", shift_store_clock});
        all.push_back({"fill_store", fill_store});
    }
    std::ranges::move(at.store().faults(), std::back_inserter(all));
    return all;
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
