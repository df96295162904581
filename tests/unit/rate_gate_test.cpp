#include <errand/error.hpp>

#include "core/rate_gate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <deque>
#include <random>

using namespace errand;
using namespace std::chrono_literals;

namespace {

// Starts at these instants (nanoseconds), and the most that fell into one half-open window of `per`.
class start_log {
public:
    explicit start_log(std::int64_t per) : per_{per} {}

    void started(std::int64_t at, std::int64_t n) {
        for (; n > 0; --n) window_.push_back(at);
        while (window_.front() <= at - per_) window_.pop_front();
        most_ = std::max(most_, static_cast<std::int64_t>(window_.size()));
    }
    std::int64_t most() const { return most_; }

private:
    std::int64_t per_;
    std::int64_t most_ = 0;
    std::deque<std::int64_t> window_;
};

constexpr std::int64_t rate_epoch = 1'795'000'000'000'000'000;

std::string rate_refusal(const rate_limit& rate, int burst = 0) {
    try {
        check_rate("rate", rate, burst);
    } catch (const usage_error& why) {
        return why.what();
    }
    return "accepted";
}

struct rate_case {
    rate_limit rate;
    int burst = 0;
};

const std::vector<rate_case> rates{
    {{1, 1ms}},     {{1, 1h}},       {{3, 1s}},      {{20, 1s}},     {{99, 1s}},        {{100, 1s}},
    {{101, 1s}},    {{1000, 1s}},    {{10'000, 1s}}, {{7, 333ms}},   {{600, 1min}},     {{20, 1s}, 5},
    {{20, 1s}, 20}, {{1000, 1s}, 1}, {{13, 1s}, 4},  {{50'000, 1h}}, {{1'000'000, 24h}}};

}  // namespace

TEST_CASE("no window of a rate has more starts than it allows, whenever they are asked for") {
    const auto how = GENERATE(errand::arrival::punctual, errand::arrival::late);
    std::mt19937_64 random{11};
    for (const auto& [rate, burst] : rates) {
        const auto pace = pace_of(rate, burst, how);
        start_log log{pace.per};
        std::int64_t now = rate_epoch, kept = 0;
        for (int n = 0; n < 3000; ++n) {
            const auto turn = take_starts(pace, kept, now, std::uniform_int_distribution{1, 30}(random));
            if (turn.starts > 0) log.started(now, turn.starts);
            kept = turn.kept;
            // Sometimes at the very instant at which the gate opens, sometimes a little or much later, sometimes at once again.
            const auto spacing = std::max<std::int64_t>(pace.per / pace.refills, 1);
            switch (std::uniform_int_distribution{0, 4}(random)) {
            case 0: now = std::max(now, turn.opens_at); break;
            case 1: now += std::uniform_int_distribution<std::int64_t>{0, 3 * spacing}(random); break;
            case 2: now += std::uniform_int_distribution<std::int64_t>{0, pace.per}(random); break;
            case 3:
                now = std::max(now, turn.opens_at +
                                        std::uniform_int_distribution<std::int64_t>{0, spacing / 10}(random));
                break;
            default: break;
            }
        }
        INFO(rate.count << " in " << rate.per.count() << "ms, burst " << burst);
        CHECK(log.most() <= rate.count);
        CHECK(log.most() >= 1);
    }
}

TEST_CASE("who always asks for more gets 99 of 100 of the rate, and nobody asks a closed gate in vain") {
    const auto how = GENERATE(errand::arrival::punctual, errand::arrival::late);
    for (const auto& [rate, burst] : rates) {
        if (burst > 1) continue;
        const auto pace = pace_of(rate, burst, how);
        std::int64_t now = rate_epoch, kept = 0, starts = 0;
        start_log log{pace.per};
        const auto until = now + 10 * pace.per;
        while (now < until && starts < 50'000) {
            const auto turn = take_starts(pace, kept, now, 1'000'000);
            REQUIRE(turn.starts > 0);
            REQUIRE(turn.opens_at > now);
            // A nanosecond before it is closed.
            REQUIRE(take_starts(pace, turn.kept, turn.opens_at - 1, 1).starts == 0);
            log.started(now, turn.starts);
            starts += turn.starts;
            kept = turn.kept;
            now = turn.opens_at;
        }
        const auto reached = static_cast<double>(starts) * static_cast<double>(pace.per) /
                             (static_cast<double>(now - rate_epoch) * rate.count);
        INFO(rate.count << " in " << rate.per.count() << "ms, burst " << burst << ": " << reached);
        CHECK(log.most() <= rate.count);
        CHECK(reached >= 0.9899);
    }
}

TEST_CASE("below a hundred a second starts are evenly spaced, at the full rate") {
    const auto pace = pace_of({20, 1s}, 0);
    CHECK(pace.burst == 1);
    std::int64_t now = rate_epoch, kept = 0;
    for (int n = 0; n < 100; ++n) {
        const auto turn = take_starts(pace, kept, now, 10);
        CHECK(turn.starts == 1);
        CHECK(turn.opens_at == now + 50'000'000);
        kept = turn.kept;
        now = turn.opens_at;
    }
}

TEST_CASE("starts that are late by no more than is allowed for take nothing of a rate") {
    std::mt19937_64 random{12};
    const auto pace = pace_of({20, 1s}, 0, errand::arrival::late);
    start_log log{pace.per + 2'000'000};  // and 2 ms by which they may come to their handlers at another pace
    std::int64_t now = rate_epoch, kept = 0;
    constexpr int starts = 2000;
    for (int n = 0; n < starts; ++n) {
        const auto turn = take_starts(pace, kept, now, 10);
        REQUIRE(turn.starts == 1);
        log.started(now, 1);
        kept = turn.kept;
        now = turn.opens_at + std::uniform_int_distribution<std::int64_t>{0, pace.tolerance}(random);
    }
    CHECK(log.most() == 20);
    CHECK(now - rate_epoch <= starts * 50'000'000LL * 101 / 100);
}

TEST_CASE(
    "a start that is later than is allowed for moves those that follow, so that they keep their spacing") {
    const auto pace = pace_of({20, 1s}, 0, errand::arrival::late);
    const auto first = take_starts(pace, 0, rate_epoch, 1);
    CHECK(first.opens_at == rate_epoch + 50'350'000);
    const auto late = first.opens_at + pace.tolerance;
    CHECK(take_starts(pace, first.kept, late, 1).opens_at == first.opens_at + 50'350'000);
    CHECK(take_starts(pace, first.kept, late + 1, 1).opens_at == late + 1 + 50'350'000);
}

TEST_CASE("a rate of which one at once is asked for has no tolerance") {
    const auto pace = pace_of({20, 1s}, 1, errand::arrival::late);
    CHECK(pace.tolerance == 0);
    CHECK(take_starts(pace, 0, rate_epoch, 1).opens_at == rate_epoch + 50'000'000);
}

TEST_CASE("no window has more starts than the largest rule allows that was in force in it") {
    struct rule {
        int count, burst;
        arrival how;
    };
    // All of the same time.
    const std::vector<rule> rules{
        {20, 1, errand::arrival::late}, {20, 0, errand::arrival::punctual}, {20, 0, errand::arrival::late},
        {20, 5, errand::arrival::late}, {20, 20, errand::arrival::late},    {10, 0, errand::arrival::late},
        {3, 0, errand::arrival::late},  {3, 3, errand::arrival::late},      {1, 0, errand::arrival::late}};
    constexpr std::int64_t per = 1'000'000'000;
    const auto only_counts_of = GENERATE(20, 10, 3);
    std::mt19937_64 random{13};
    const auto up_to = [&](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>{0, most}(random);
    };
    std::vector<rate_pace> paces;
    for (const auto& one : rules) {
        if (one.count <= only_counts_of) paces.push_back(pace_of({one.count, 1s}, one.burst, one.how));
    }
    start_log log{per};
    std::int64_t now = rate_epoch, kept = 0;
    auto pace = paces[0];
    for (int n = 0; n < 20'000; ++n) {
        if (up_to(7) == 0) {
            const auto& next = paces[static_cast<std::size_t>(up_to(std::ssize(paces) - 1))];
            const auto change = change_of(pace, next, now);
            kept = std::min(kept + change.grown, change.latest);
            pace = next;
        }
        const auto turn = take_starts(pace, kept, now, 1 + up_to(5));
        if (turn.starts > 0) log.started(now, turn.starts);
        kept = turn.kept;
        // Whatever the rules were, it is not closed for longer than a window.
        REQUIRE(turn.opens_at <= now + per + 10'000'000);
        now = up_to(2) == 0 ? now + up_to(per / 4) : std::max(now, turn.opens_at + up_to(pace.tolerance));
    }
    CHECK(log.most() == only_counts_of);
}

TEST_CASE("a larger tolerance is none for what comes after a start under a smaller one") {
    const auto before = pace_of({20, 1s}, 1, errand::arrival::late),
               after = pace_of({20, 1s}, 0, errand::arrival::late);
    const auto first = take_starts(before, 0, rate_epoch, 1);
    const auto change = change_of(before, after, rate_epoch);
    const auto kept = std::min(first.kept + change.grown, change.latest);
    CHECK(take_starts(after, kept, rate_epoch, 1).opens_at == first.opens_at);
}

TEST_CASE("a rate that is raised lets the next one start after its new spacing") {
    const auto before = pace_of({1, 1h}, 0), after = pace_of({20, 1h}, 0);
    const auto first = take_starts(before, 0, rate_epoch, 1);
    const auto change = change_of(before, after, rate_epoch);
    const auto kept = std::min(first.kept + change.grown, change.latest);
    const auto spacing = std::chrono::nanoseconds{3min}.count();
    CHECK(take_starts(after, kept, rate_epoch, 1).opens_at == rate_epoch + spacing);
}

TEST_CASE("a burst is had at once, and comes back while nobody starts") {
    const auto pace = pace_of({20, 1s}, 5);
    const auto first = take_starts(pace, 0, rate_epoch, 10);
    CHECK(first.starts == 5);
    CHECK(take_starts(pace, first.kept, rate_epoch, 10).starts == 0);
    CHECK(take_starts(pace, first.kept, first.opens_at, 10).starts == 1);
    CHECK(take_starts(pace, first.kept, rate_epoch + 1'000'000'000, 10).starts == 5);
    CHECK(take_starts(pace, first.kept, rate_epoch + 1'000'000'000, 3).starts == 3);
}

TEST_CASE("a clock that goes back closes a rate for no longer than its burst takes to come back") {
    const auto pace = pace_of({20, 1s}, 5);
    const auto turn = take_starts(pace, 0, rate_epoch + 3'600'000'000'000, 5);
    const auto after = take_starts(pace, turn.kept, rate_epoch, 5);
    CHECK(after.starts == 0);
    CHECK(after.opens_at <= rate_epoch + pace.per);
    CHECK(take_starts(pace, after.kept, after.opens_at, 5).starts == 1);
}

TEST_CASE("a rate of nothing, without a time, or with more at once than in all is refused") {
    CHECK(rate_refusal({0, 0ms}) == "rate.count = 0: must be 1..1000000");
    CHECK(rate_refusal({1'000'001, 1s}) == "rate.count = 1000001: must be 1..1000000");
    CHECK(rate_refusal({1, 0ms}) == "rate.per = 0ms: must be 1ms..366 days");
    CHECK(rate_refusal({1, 24h * 367}) == "rate.per = 31708800000ms: must be 1ms..366 days");
    CHECK(rate_refusal({5, 1s}, 6) == "rate.burst = 6: must be 0..5, its count");
    CHECK(rate_refusal({5, 1s}, -1) == "rate.burst = -1: must be 0..5, its count");
    CHECK(rate_refusal({5, 1s}, 5) == "accepted");
    CHECK(rate_refusal({1'000'000, 24h * 366}) == "accepted");
    CHECK(rate_refusal({1'000'000, 24h * 366}, 1'000'000) ==
          "rate.burst = 1000000: must be less: so many at once would not be back in a century");
}
