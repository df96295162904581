// Which shards a claim asks, and how its free slots are shared between them.
#include "store/shards/claim_turns.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace errand;
using namespace std::chrono_literals;
using shards::claim_shares;
using shards::claim_turns;

namespace {

// Shards with so many tasks each, and a worker that claims from them.
struct fleet {
    explicit fleet(std::vector<std::size_t> tasks)
        : there{std::move(tasks)}, turns{there.size()}, idle(there.size(), false) {}

    // Returns how many tasks it got; `asked` then are the calls that it took.
    std::size_t claim(std::size_t limit, bool trusts_wakes = true) {
        asked.clear();
        claim_shares shares{turns, limit, trusts_wakes, now};
        std::size_t taken = 0;
        int rounds = 0;
        for (auto next = shares.next(); !next.empty(); next = shares.next()) {
            REQUIRE(++rounds < 200);
            REQUIRE(taken + std::accumulate(next.begin(), next.end(), std::size_t{0}) <= limit);
            for (std::size_t at = 0; at < next.size(); ++at) {
                if (next[at] == 0) continue;
                asked.push_back(at);
                const auto as = turns.asks(at, now);
                const auto got = std::min(next[at], there[at]);
                there[at] -= got;
                taken += got;
                idle[at] = got < next[at];
                turns.answered(at, as, got == next[at], std::nullopt);
                shares.took(at, next[at], got);
            }
        }
        skipped = shares.skipped();
        if (shares.left() == 0) {
            idle.assign(there.size(), false);
            turns.waits_nowhere();
        }
        return taken;
    }
    // Who waits there is told of it.
    void come(std::size_t shard, std::size_t count = 1) {
        there[shard] += count;
        if (!idle[shard]) return;
        idle[shard] = false;
        turns.woken(shard);
    }
    bool waits_everywhere() const {
        return std::ranges::all_of(idle, [](bool one) { return one; });
    }

    std::vector<std::size_t> there;
    claim_turns turns;
    std::vector<bool> idle;
    std::vector<std::size_t> asked;
    bool skipped = false;
    claim_turns::instant now{24h};
};

using shard_list = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a claim takes no more than its limit, and all that there is up to it, whatever was before") {
    std::minstd_rand random{20};
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    for (int history = 0; history < 300; ++history) {
        fleet f{shard_list(1 + below(9), 0)};
        for (int step = 0; step < 60; ++step) {
            if (below(3) > 0) f.come(below(f.there.size()), below(50));
            f.now += std::chrono::milliseconds{below(60)};
            const auto all = std::accumulate(f.there.begin(), f.there.end(), std::size_t{0});
            const auto limit = below(2) ? below(4) : below(200);
            const auto got = f.claim(limit, below(4) > 0);
            REQUIRE(got == std::min(limit, all));
            // Whoever has room left waits in every shard.
            if (limit > 0) REQUIRE((got == limit || f.waits_everywhere()));
        }
    }
}

TEST_CASE("a claim asks the shards that gave all that was asked for, a call for each 32 free slots") {
    fleet f{shard_list(16, 100'000)};
    f.claim(200);  // all of them, the first time
    CHECK(f.asked.size() == 16);
    const std::vector<std::pair<std::size_t, std::size_t>> wanted{{1, 1},   {31, 1},   {63, 1},   {64, 2},
                                                                  {100, 3}, {320, 10}, {1000, 16}};
    for (const auto& [limit, calls] : wanted) {
        CHECK(f.claim(limit) == limit);
        CHECK(f.asked.size() == calls);
    }
    // Of those that were short none, until there is nothing elsewhere.
    for (std::size_t at = 0; at < 16; ++at) f.there[at] = at == 5 ? 1000 : 0;
    f.claim(100);
    CHECK(f.claim(100) == 100);
    CHECK(f.asked == shard_list{5});
    CHECK(f.claim(700) == 700);
    CHECK(f.claim(101) == 100);
    CHECK(f.asked.size() == 16);
    CHECK(f.waits_everywhere());
}

TEST_CASE("every sixteenth claim begins with another shard that has something") {
    fleet f{{100'000, 0, 100'000, 100'000}};
    f.claim(400);
    std::vector<std::size_t> turns;
    for (int i = 0; i < 200; ++i) {
        f.claim(10);
        REQUIRE(f.asked.size() == 1);
        if (turns.empty() || turns.back() != f.asked.front()) turns.push_back(f.asked.front());
    }
    REQUIRE(turns.size() > 9);
    for (std::size_t i = 3; i < turns.size(); ++i) CHECK(turns[i] == turns[i - 3]);
    CHECK(std::ranges::count(turns, 1U) == 0);
}

TEST_CASE("where a worker waits it does not ask until it is told of something") {
    fleet f{shard_list(64, 0)};
    CHECK(f.claim(100) == 0);
    CHECK(f.asked.size() == 64);
    CHECK_FALSE(f.skipped);
    f.now += 1h;
    CHECK(f.claim(100) == 0);
    CHECK(f.asked.empty());
    CHECK(f.skipped);
    f.come(40, 3);
    CHECK(f.claim(100) == 3);
    CHECK(f.asked == shard_list{40});
    // Who does not trust that he was told asks all.
    f.there[7] = 1;
    CHECK(f.claim(100, false) == 1);
    CHECK(f.asked.size() == 64);
    CHECK_FALSE(f.skipped);
    // With no room it waits nowhere.
    f.there[7] = 1000;
    CHECK(f.claim(100, false) == 100);
    f.there[8] = 1;
    f.there[7] = 0;
    CHECK(f.claim(100) == 1);
    CHECK_FALSE(f.skipped);
}

TEST_CASE("a message that comes while a claim is under way is not lost to its answer") {
    claim_turns turns{2};
    const claim_turns::instant now{24h};
    auto as = turns.asks(0, now);
    turns.woken(0);
    turns.answered(0, as, false, std::nullopt);
    CHECK_FALSE(turns.waits(0, now));
    // As is that another call has taken this worker off meanwhile.
    as = turns.asks(0, now);
    turns.waits_nowhere();
    turns.answered(0, as, false, std::nullopt);
    CHECK_FALSE(turns.waits(0, now));
    as = turns.asks(0, now);
    turns.answered(0, as, false, std::nullopt);
    CHECK(turns.waits(0, now));
    turns.asks(0, now);
    CHECK_FALSE(turns.waits(0, now));
}

TEST_CASE("a shard is asked although this worker waits there when something falls due") {
    claim_turns turns{3};
    const claim_turns::instant now{24h};
    CHECK_FALSE(turns.next_due(now));
    const auto tell = [&](std::size_t shard, std::chrono::milliseconds in) {
        turns.answered(shard, turns.asks(shard, now), false,
                       claim_turns::due_time{time_point{1h} + in, now + in, time_point{2h} + in});
    };
    tell(0, 300ms);
    tell(1, 200ms);
    turns.answered(2, turns.asks(2, now), false, std::nullopt);
    // Also while only another one is asked.
    CHECK(turns.next_due(now) == time_point{1h} + 200ms);
    // It was not asked when that was due, as it does not answer: it hides no other one.
    CHECK(turns.next_due(now + 200ms) == time_point{1h} + 300ms);
    CHECK(turns.waits(1, now + 199ms));
    CHECK_FALSE(turns.waits(1, now + 200ms));
    CHECK(turns.waits(0, now + 200ms));
    claim_shares shares{turns, 5, true, now + 200ms};
    CHECK(shares.next() == shard_list{0, 5, 0});
    turns.answered(1, turns.asks(1, now + 200ms), false, std::nullopt);
    CHECK(turns.next_due(now + 200ms) == time_point{1h} + 300ms);
    turns.waits_nowhere();
    CHECK_FALSE(turns.next_due(now));
}

TEST_CASE("what was due already when a shard told of it is told on, once") {
    claim_turns turns{2};
    const claim_turns::instant now{24h};
    const auto tell = [&](std::size_t shard, std::chrono::milliseconds in) {
        turns.answered(shard, turns.asks(shard, now), false,
                       claim_turns::due_time{time_point{1h} + in, now + in, time_point{2h} + in});
    };
    tell(0, -5ms);
    tell(1, 1ms);
    CHECK(turns.next_due(now) == time_point{1h} - 5ms);
    // Over by the time that somebody asks, and not told yet.
    CHECK(turns.next_due(now + 2ms) == time_point{1h} + 1ms);
    CHECK_FALSE(turns.next_due(now + 2ms));
    // It can't be made ready, as it seems.
    tell(0, -5ms);
    CHECK_FALSE(turns.next_due(now + 2ms));
    tell(0, -4ms);
    CHECK(turns.next_due(now + 2ms) == time_point{1h} - 4ms);
}

TEST_CASE("a shard where this worker waits is asked when one of its tasks is put off there") {
    claim_turns turns{3};
    const claim_turns::instant now{24h};
    for (std::size_t at = 0; at < 3; ++at) turns.answered(at, turns.asks(at, now), false, std::nullopt);
    turns.put_off(1);
    claim_shares shares{turns, 5, true, now};
    CHECK(shares.next() == shard_list{0, 5, 0});
    // Also where the answer of a claim before that report comes after it.
    const auto before = turns.asks(2, now);
    turns.put_off(2);
    turns.answered(2, before, false, std::nullopt);
    CHECK_FALSE(turns.waits(2, now));
}

TEST_CASE(
    "who asks for other queues each time asks all shards alike, whatever a worker believes, and begins with each in turn") {
    claim_turns turns{4};
    const claim_turns::instant now{24h};
    for (std::size_t at = 0; at < 4; ++at) turns.answered(at, turns.asks(at, now), false, std::nullopt);
    std::vector<bool> begun(4, false);
    for (int i = 0; i < 4; ++i) {
        claim_shares one{turns, 1};
        const auto first = one.next();
        begun[static_cast<std::size_t>(std::ranges::find(first, 1U) - first.begin())] = true;
        // That one has nothing: the others are asked, all of them.
        std::size_t asked = 1;
        for (auto next = first; !next.empty(); next = one.next()) {
            for (std::size_t at = 0; at < 4; ++at) {
                if (next[at] == 0) continue;
                one.took(at, next[at], 0);
                ++asked;
            }
        }
        CHECK(asked == 5);
        CHECK_FALSE(one.skipped());
    }
    CHECK(begun == std::vector<bool>(4, true));
    CHECK(claim_shares{turns, 8}.next() == shard_list{2, 2, 2, 2});
}

TEST_CASE("a worker that one shard gives all it can do comes by at each of the others all the same") {
    constexpr std::size_t count = 64;
    for (const auto each : {1ms, 40ms, 3000ms}) {
        for (const std::size_t limit : {std::size_t{1}, std::size_t{50}}) {
            INFO(each.count() << " ms a claim of " << limit);
            auto tasks = shard_list(count, 0);
            tasks[3] = 10'000'000;
            fleet f{std::move(tasks)};
            f.claim(limit, false);
            f.claim(limit);
            for (std::size_t at = 0; at < count; ++at) {
                if (at == 3) continue;
                f.come(at);
                const auto from = f.now;
                while (f.there[at] > 0) {
                    f.now += each;
                    REQUIRE(f.claim(limit) == limit);
                    REQUIRE(f.now - from <=
                            std::max<claim_turns::instant::duration>(25ms * count, each) + each);
                }
            }
        }
    }
}
