// Shares of limits over random histories: never more than the limit, whatever is lost, late or repeated.
#include "unit/limit_shares_model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

using namespace errand;
using namespace errand::shares_test;
using namespace std::chrono_literals;

// Several keep the shares in balance at once, by what they read some time ago; messages come late, twice, in any order or never; a
// shard fails over to what it was some time ago, and the first one with the record.
TEST_CASE("shares never allow more than the limit, whatever is late, lost or done twice") {
    struct message {
        std::size_t to;
        std::uint64_t since;
        std::optional<limit_rule> rule, whole;
        int server;
    };
    struct keeper {
        limit_shares read;
        std::vector<std::optional<seen_share>> seen;
        std::vector<int> servers;
        time_point at;
    };
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random{seed};
        const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        const std::size_t count = 2 + pick(4);
        limit_rule rule{.rate = rate_limit{.count = static_cast<int>(1 + pick(15)), .per = 1s}};
        if (seed % 2 == 0) rule.max_running = static_cast<int>(1 + pick(7));
        if (seed % 3 != 0)
            rule.rate->burst = 1 + static_cast<int>(pick(static_cast<std::size_t>(rule.rate->count)));
        model t{count, rule};
        std::deque<message> under_way;
        std::vector<std::optional<keeper>> keepers(3);
        std::deque<time_point> starts;
        auto replicas = t.shards;
        auto replica_of_record = t.record;
        for (int step = 0; step < 2000; ++step) {
            t.now += duration{pick(40)};
            if (pick(50) == 0) {
                replicas = t.shards;
                replica_of_record = t.record;
            }
            if (pick(100) == 0) {
                const auto which = pick(count);
                t.now += 2ms;
                t.shards[which].fail_over_to(replicas[which]);
                if (which == 0) {
                    t.record = replica_of_record;
                    // A change that was read before is refused, and what has been sent has come.
                    for (auto& any : keepers) any.reset();
                    under_way.clear();
                }
            }
            auto& shard = t.shards[pick(count)];
            auto& one = keepers[pick(3)];
            switch (pick(6)) {
            case 0:
                shard.queued = pick(3) == 0 ? 0 : shard.queued + static_cast<std::int64_t>(pick(12));
                break;
            case 1:
                while (shard.start(t.now)) starts.push_back(t.now);
                break;
            case 2: shard.running -= std::min<std::int64_t>(shard.running, 2); break;
            case 3:
                one = keeper{*t.record, t.look(), {}, t.now};
                for (const auto& looked_at : t.shards) one->servers.push_back(looked_at.server);
                if (pick(4) == 0) one->seen[pick(count)].reset();
                break;
            case 4: {
                if (!one) break;
                auto changed = one->read;
                const bool any = balance(changed, one->seen, one->at);
                const bool is_as_read = t.record->version == one->read.version;
                if (any && is_as_read) t.record = changed;
                if (!any || is_as_read) {
                    for (std::size_t at = 0; at < count; ++at) {
                        if (pick(5) != 0)
                            under_way.push_back({at, changed.of[at].since, rule_for_shard(changed, at),
                                                 changed.rule, one->servers[at]});
                    }
                }
                if (pick(3) != 0) one.reset();
                break;
            }
            default:
                if (under_way.empty()) break;
                const auto at = static_cast<std::ptrdiff_t>(pick(under_way.size()));
                const auto& told = under_way[static_cast<std::size_t>(at)];
                t.shards[told.to].hear(told.since, told.rule, told.whole, told.server);
                if (pick(3) != 0) under_way.erase(under_way.begin() + at);
            }
            INFO("seed " << seed << ", step " << step);
            REQUIRE((!rule.max_running || t.running() <= *rule.max_running));
            while (!starts.empty() && starts.front() <= t.now - 1s) starts.pop_front();
            REQUIRE(std::ssize(starts) <= rule.rate->count);
        }
    }
}

TEST_CASE(
    "a share of a rate with a burst that shrinks and grows lets no more through than the largest of a window") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random{seed};
        const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        rate_limit whole{.count = 1 + pick(300), .per = 1s};
        if (seed % 3 != 0) whole.burst = 1 + pick(whole.count);
        const limit_rule all{.rate = whole};
        shard_model shard;
        shard.queued = 1'000'000;
        std::deque<std::pair<time_point, int>> shares;  // since when it has which
        std::deque<time_point> starts;
        std::uint64_t version = 0;
        for (time_point now{1'790'000'000'000ms}, end = now + 20s; now < end; now += duration{1 + pick(9)}) {
            if (shares.empty() || pick(20) == 0) {
                const int share = 1 + pick(whole.count);
                shares.emplace_back(now, share);
                auto told = whole;
                told.count = share;
                shard.hear(++version, limit_rule{.rate = told}, all, 0);
            }
            while (shard.start(now)) starts.push_back(now);
            while (!starts.empty() && starts.front() <= now - 1s) starts.pop_front();
            while (shares.size() > 1 && shares[1].first <= now - 1s) shares.pop_front();
            int most = 0;
            for (const auto& [since, share] : shares) most = std::max(most, share);
            INFO("seed " << seed);
            REQUIRE(std::ssize(starts) <= most);
        }
    }
}

// Tasks of each shard pass two limits of one at a time, and wait at the first that is closed until it opens.
TEST_CASE("two small limits of the same tasks do not change places for ever") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random{seed};
        model first{2, {.max_running = 1}}, second{2, {.max_running = 1}};
        // Where the share of each is at first: at different ones.
        first.shards[0].queued = second.shards[1].queued = 1;
        for (int i = 0; i < 3; ++i) {
            first.round();
            second.round();
        }
        enum class place { first, second, none };
        std::vector<place> waits(2, place::first);
        std::vector<int> done(2, 0);
        for (int look = 0; look < 400; ++look, first.now += 50ms, second.now += 50ms) {
            std::vector<model*> order{&first, &second};
            std::ranges::shuffle(order, random);
            for (std::size_t at = 0; at < 2; ++at) {
                first.shards[at].queued = waits[at] == place::second ? 0 : 1;
                second.shards[at].queued = waits[at] == place::first ? 0 : 1;
            }
            bool takes = true;
            for (auto* one : order) {
                if (balance(*one->record, one->look(), one->now, takes)) takes = false;
                one->tell();
            }
            for (std::size_t at = 0; at < 2; ++at) {
                const bool is_first_open = first.shards[at].may_start(first.now);
                const bool is_second_open = second.shards[at].may_start(second.now);
                if (is_first_open && is_second_open) {
                    waits[at] = place::none;
                    ++done[at];
                    continue;
                }
                if (waits[at] == place::first && !is_first_open) continue;
                if (waits[at] == place::second && !is_second_open) continue;
                waits[at] = is_first_open ? place::second : place::first;
            }
        }
        INFO("seed " << seed);
        CHECK(done[0] >= 10);
        CHECK(done[1] >= 10);
    }
}
