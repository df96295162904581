#include "trial/limiter.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <tuple>

namespace trial {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Of a burst, so that a rate keeps up with all producers.
constexpr int most_in_burst = 9;

void wait_until(steady_clock::time_point end, const std::function<bool()>& is_over) {
    while (!is_over() && steady_clock::now() < end) std::this_thread::sleep_for(10ms);
}

// Nothing comes of it when the store cannot be asked.
template <class Call>
bool tried(const Call& call) {
    try {
        call();
        return true;
    } catch (const errand::error& e) {
        std::fprintf(stderr, "hand: %s\n", e.what());
        return false;
    }
}

}  // namespace

limiter::limiter(errand::app& app, const errand::test::task_journal& book, unsigned seed, int per_second,
                 std::function<int()> next_number)
    : app_{app},
      book_{book},
      random_{seed},
      pause_{std::max(500, 15'000 / per_second)},
      next_number_{std::move(next_number)} {}

int limiter::between(int from, int to) { return std::uniform_int_distribution<int>{from, to}(random_); }

void limiter::run(const std::function<bool()>& is_over) {
    // Whoever closed it may be dead.
    tried([&] { clear_shared_limit(app_, book_, next_number_()); });
    while (!is_over()) {
        wait_until(steady_clock::now() + pause_ * between(50, 150) / 100, is_over);
        if (is_over()) return;
        if (std::filesystem::exists(book_.path() + ".silent")) continue;
        if (between(1, 10) == 1) change(is_over);
        any_burst();
    }
}

void limiter::any_burst() {
    switch (between(1, 6)) {
    case 1: return burst<limited_total>();
    case 2: return burst<limited_keyed>();
    case 3: return burst<limited_shared>();
    case 4: return burst<limited_rate>();
    case 5: return burst_of_spread();
    default: return burst<limited_both>();
    }
}

// By the same rule each time: where a shard is away that has heard of another one, more could run until it is back.
void limiter::burst_of_spread() {
    spread_is_limited_ =
        spread_is_limited_ || tried([&] {
            app_.block_on(app_.set_limit(std::string{spread_name}, {.max_running = most_of_spread}));
        });
    if (spread_is_limited_) burst<limited_spread>();
}

template <class Handler>
void limiter::burst() {
    std::vector<task> all;
    for (int left = between(2, most_in_burst); left > 0;) {
        const int key = between(1, keys_of_limit), some = std::min(left, between(1, 4));
        left -= some;
        if (some == 1)
            submit_one<Handler>(all, key);
        else
            submit_bulk<Handler>(all, key, some);
    }
    cancel_some(all);
}

template <class Handler>
void limiter::submit_one(std::vector<task>& into, int key) {
    const int number = next_number_();
    const bool done = tried([&] {
        into.push_back(app_.block_on(
            app_.handler<Handler>().perform_async(number, key, errand::duration{between(5, 50)})));
        note(into.back(), Handler::where(key), number);
    });
    if (!done) book_.add("uncertain", "-", number);
}

template <class Handler>
void limiter::submit_bulk(std::vector<task>& into, int key, int count) {
    std::vector<std::tuple<int, int, errand::duration>> items;
    for (int left = count; left > 0; --left)
        items.emplace_back(next_number_(), key, errand::duration{between(5, 50)});
    const bool done = tried([&] {
        const auto handles = app_.block_on(app_.handler<Handler>().perform_bulk(items));
        for (std::size_t at = 0; at < handles.size(); ++at)
            note(handles[at], Handler::where(key), std::get<0>(items[at]));
        into.insert(into.end(), handles.begin(), handles.end());
    });
    if (done) return;
    for (const auto& item : items) book_.add("uncertain", "-", std::get<0>(item));
}

void limiter::note(const task& accepted, const std::string& where, int number) const {
    book_.add("behind:" + accepted.id(), where, number);
    book_.add("accepted", accepted.id(), number);
}

// While it waits, or runs.
void limiter::cancel_some(const std::vector<task>& all) {
    if (all.empty() || between(1, 3) > 1) return;
    std::this_thread::sleep_for(milliseconds{between(0, 40)});
    const auto& one = all[random_() % all.size()];
    tried([&] {
        if (app_.block_on(one.cancel())) book_.add("cancelled", one.id());
    });
}

void limiter::change(const std::function<bool()>& is_over) {
    const int most = between(0, 2);
    tried([&] { set_shared_limit(app_, book_, next_number_(), most); });
    burst<limited_shared>();
    wait_until(steady_clock::now() + milliseconds{between(300, 1500)}, is_over);
    while (!tried([&] { clear_shared_limit(app_, book_, next_number_()); }) && !is_over())
        wait_until(steady_clock::now() + 200ms, is_over);
}

}  // namespace trial
