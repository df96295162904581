#include "trial/declarer.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace trial {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

// All producers come at the same moments.
constexpr auto declared_each = 300ms;
// The argument of schedules that are never given another.
constexpr int always_the_same = 0;

void sleep_until_all_come() {
    const auto now = steady_clock::now();
    std::this_thread::sleep_until(now - now.time_since_epoch() % declared_each + declared_each);
}

// Nothing comes of it when the store cannot be asked.
template <class Call>
void try_once(const Call& call) {
    try {
        call();
    } catch (const errand::error& e) {
        std::fprintf(stderr, "hand: %s\n", e.what());
    }
}

errand::awaitable<errand::schedule> declaration(errand::app& app, const recurring_kind& of, int number) {
    // A cron line says itself when it ticks.
    const auto mode = of.line.empty() ? of.mode : errand::schedule_options{}.mode;
    const errand::schedule_options how{.key = std::string{of.key},
                                       .mode = mode,
                                       .overlap = of.overlap,
                                       .missed = of.missed,
                                       .missed_cap = of.cap};
    const auto proxy = app.handler<recurring>();
    return of.line.empty() ? proxy.every(of.interval, how, number, of.length)
                           : proxy.cron(std::string{of.line}, how, number, of.length);
}

}  // namespace

void declarer::declare(const recurring_kind& of) {
    const std::string key{of.key};
    const int number = of.renewed ? next_number_() : always_the_same;
    book_.add("declares", key, number);
    try_once([&] {
        known_.insert_or_assign(of.key, app_.block_on(declaration(app_, of, number)));
        book_.add("declared", key, number);
    });
}

void declarer::rest(const recurring_kind& of, const std::function<bool()>& is_over) {
    const auto its = known_.find(of.key);
    if (its == known_.end()) return;
    const std::string key{of.key};
    const int number = next_number_();
    try_once([&] {
        book_.add("pauses", key, number);
        app_.block_on(its->second.pause());
        book_.add("paused", key, number);
    });
    const auto end = steady_clock::now() + std::chrono::milliseconds{random_() % 900};
    while (!is_over() && steady_clock::now() < end) std::this_thread::sleep_for(10ms);
    resume(of);
}

void declarer::resume(const recurring_kind& of) {
    const auto its = known_.find(of.key);
    if (its == known_.end()) return;
    const std::string key{of.key};
    const int number = next_number_();
    try_once([&] {
        book_.add("resumes", key, number);
        app_.block_on(its->second.resume());
        book_.add("resumed", key, number);
    });
}

void declarer::run_by_hand(const recurring_kind& of) {
    const auto its = known_.find(of.key);
    if (its == known_.end()) return;
    try_once([&] { book_.add("accepted", app_.block_on(its->second.run_now()).id()); });
}

void declarer::run(const std::function<bool()>& is_over) {
    for (const auto& one : recurring_kinds) declare(one);
    for (const auto& one : recurring_kinds) {
        // Whoever paused it may be dead.
        if (one.rests_at_times) resume(one);
    }
    while (!is_over()) {
        sleep_until_all_come();
        const auto& drawn = recurring_kinds[random_() % recurring_kinds.size()];
        for (const auto& one : recurring_kinds) {
            // Other arguments come between the ticks, and between each other.
            if (!is_over() && (one.renewed || &one == &drawn)) declare(one);
        }
        if (drawn.run_by_hand && random_() % 2 == 0) run_by_hand(drawn);
        if (drawn.rests_at_times) rest(drawn, is_over);
    }
}

}  // namespace trial
