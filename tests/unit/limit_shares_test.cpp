// Limits that are shared out among shards: never more than the limit, whatever is lost, late or repeated; and whoever needs it
// comes to have it.
#include "core/limit_shares.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace errand;
using namespace std::chrono_literals;

namespace {

// A shard, as far as it obeys what it is told.
struct shard_model {
    std::uint64_t heard = 0;
    std::optional<limit_rule> rule;
    std::int64_t running = 0, queued = 0;
    std::vector<time_point> starts;

    void hear(std::uint64_t since, const std::optional<limit_rule>& told) {
        if (since <= heard) return;
        heard = since;
        rule = told;
    }
    bool may_start(time_point now) const {
        if (!rule) return true;
        if (rule->max_running && running >= *rule->max_running) return false;
        if (!rule->rate) return true;
        const auto lately =
            std::ranges::count_if(starts, [&](time_point at) { return at > now - rule->rate->per; });
        return lately < rule->rate->count;
    }
    bool start(time_point now) {
        if (queued == 0 || !may_start(now)) return false;
        --queued;
        ++running;
        starts.push_back(now);
        return true;
    }
    seen_share seen() const { return {heard, running, queued}; }
};

struct model {
    model(std::size_t count, limit_rule rule) : shards(count) { set(rule); }

    std::vector<std::optional<seen_share>> look() const {
        std::vector<std::optional<seen_share>> seen;
        for (const auto& one : shards) seen.emplace_back(one.seen());
        return seen;
    }
    void set(std::optional<limit_rule> rule) {
        record = with_rule(std::move(record), "queue:mail", std::move(rule), look(), now);
        tell();
    }
    void tell() {
        for (std::size_t at = 0; at < shards.size(); ++at)
            shards[at].hear(record->of[at].since, rule_for_shard(*record, at));
    }
    bool round() {
        const bool changed = balance(*record, look(), now);
        tell();
        return changed;
    }
    void start_all() {
        for (auto& one : shards) {
            while (one.start(now)) {
            }
        }
    }
    std::int64_t running() const {
        std::int64_t sum = 0;
        for (const auto& one : shards) sum += one.running;
        return sum;
    }

    std::vector<shard_model> shards;
    std::optional<limit_shares> record;
    time_point now{1'790'000'000'000ms};
};

}  // namespace

TEST_CASE("a limit is shared out evenly, and what one shard leaves goes to others that need it") {
    model t{3, {.max_running = 5}};
    CHECK(rule_for_shard(*t.record, 0)->max_running == 2);
    CHECK(rule_for_shard(*t.record, 1)->max_running == 2);
    CHECK(rule_for_shard(*t.record, 2)->max_running == 1);
    t.shards[2].queued = 100;
    t.start_all();
    CHECK(t.running() == 1);
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    CHECK(t.shards[2].running == 5);
    CHECK_FALSE(t.round());
    // Two that need it have equally much of it, as soon as the one that has it uses it no more.
    t.shards[0].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    CHECK(t.running() == 5);
    t.shards[2].running = 2;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    CHECK(t.shards[0].running == 2);
    CHECK(t.running() == 5);
}

TEST_CASE("where not each shard can have something they have it in turn") {
    model t{3, {.max_running = 1}};
    std::vector<int> began(3, 0);
    for (auto& one : t.shards) one.queued = 1000;
    for (int i = 0; i < 60; ++i, t.now += 500ms) {
        t.round();
        for (std::size_t at = 0; at < 3; ++at) {
            if (t.shards[at].start(t.now)) ++began[at];
        }
        CHECK(t.running() <= 1);
        for (auto& one : t.shards) one.running = 0;
    }
    for (const int count : began) CHECK(count >= 5);
}

TEST_CASE("what runs when a limit is set counts") {
    model t{2, {}};
    t.shards[0].queued = t.shards[1].queued = 10;
    for (int i = 0; i < 4; ++i) t.shards[0].start(t.now);
    t.set(limit_rule{.max_running = 3});
    t.start_all();
    CHECK(t.running() == 4);
    t.shards[0].running = 2;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    CHECK(t.running() == 3);
    t.set(std::nullopt);
    t.start_all();
    CHECK(t.running() == 20 - 2);
}

TEST_CASE("starts that a shard gives up are given to another when no window holds them any more") {
    model t{2, {.rate = rate_limit{.count = 4, .per = 1s}}};
    t.shards[0].queued = t.shards[1].queued = 2;
    t.start_all();
    t.shards[0].queued = 100;
    const auto begun = t.now;
    std::vector<time_point> all;
    while (t.now < begun + 20s) {
        t.round();
        t.start_all();
        t.now += 100ms;
    }
    // It has all of it in the end.
    CHECK(rule_for_shard(*t.record, 0)->rate->count == 4);
    CHECK(rule_for_shard(*t.record, 1)->max_running == 0);
    for (const auto& one : t.shards) all.insert(all.end(), one.starts.begin(), one.starts.end());
    for (const auto from : all) {
        const auto in_window =
            std::ranges::count_if(all, [&](time_point at) { return at >= from && at < from + 1s; });
        CHECK(in_window <= 4);
    }
}

TEST_CASE("the record of shares is read back as it was written") {
    model t{3, {.max_running = 7, .rate = rate_limit{.count = 50, .per = 2s, .burst = 9}}};
    t.shards[1].queued = 20;
    t.round();
    t.record->of[2].starts_end = 12345;
    t.record->stamp = 77;
    const auto back = decode_limit_shares(encode(*t.record));
    CHECK(encode(*t.record).substr(0, 8) == std::string(7, '\0') + 'M');
    CHECK(back.stamp == 77);
    CHECK(back.version == t.record->version);
    CHECK(back.name == "queue:mail");
    CHECK(back.rule == t.record->rule);
    CHECK(back.of == t.record->of);
    auto cleared = *t.record;
    cleared.rule.reset();
    CHECK_FALSE(decode_limit_shares(encode(cleared)).rule);
}

TEST_CASE(
    "a change of shares that a fail-over took back makes no share larger before all shards have heard") {
    model t{3, {.max_running = 5}};
    const auto before = *t.record;
    t.shards[2].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    REQUIRE(t.shards[2].running == 5);
    // The record is the old one again, of which the third shard has a fifth; another one needs all.
    t.record = before;
    t.shards[2].queued = 0;
    t.shards[0].queued = 100;
    for (int left = 5; left >= 0; --left) {
        t.shards[2].running = left;
        for (int i = 0; i < 3; ++i) {
            t.round();
            t.start_all();
            CHECK(t.running() <= 5);
        }
    }
    CHECK(t.shards[0].running == 5);
    CHECK(t.shards[2].heard > before.version);
}

TEST_CASE("a very large limit is shared out at once") {
    model t{3, {.max_running = std::numeric_limits<int>::max()}};
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < 3; ++at) sum += *rule_for_shard(*t.record, at)->max_running;
    CHECK(sum == std::numeric_limits<int>::max());
}

// Several keep the shares in balance at once, by what they read some time ago; messages come late, twice, in any order or never.
TEST_CASE("shares never allow more than the limit, whatever is late, lost or done twice") {
    struct message {
        std::size_t to;
        std::uint64_t since;
        std::optional<limit_rule> rule;
    };
    struct keeper {
        limit_shares read;
        std::vector<std::optional<seen_share>> seen;
        time_point at;
    };
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random{seed};
        const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        const std::size_t count = 2 + pick(4);
        limit_rule rule{.rate = rate_limit{.count = static_cast<int>(1 + pick(15)), .per = 1s}};
        if (seed % 2 == 0) rule.max_running = static_cast<int>(1 + pick(7));
        model t{count, rule};
        std::deque<message> under_way;
        std::vector<std::optional<keeper>> keepers(3);
        std::vector<time_point> starts;
        for (int step = 0; step < 2000; ++step) {
            t.now += duration{pick(40)};
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
                one = keeper{*t.record, t.look(), t.now};
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
                            under_way.push_back({at, changed.of[at].since, rule_for_shard(changed, at)});
                    }
                }
                if (pick(3) != 0) one.reset();
                break;
            }
            default:
                if (under_way.empty()) break;
                const auto at = static_cast<std::ptrdiff_t>(pick(under_way.size()));
                t.shards[under_way[static_cast<std::size_t>(at)].to].hear(
                    under_way[static_cast<std::size_t>(at)].since,
                    under_way[static_cast<std::size_t>(at)].rule);
                if (pick(3) != 0) under_way.erase(under_way.begin() + at);
            }
            INFO("seed " << seed << ", step " << step);
            REQUIRE((!rule.max_running || t.running() <= *rule.max_running));
            const auto lately = std::ranges::count_if(starts, [&](time_point at) { return at > t.now - 1s; });
            REQUIRE(lately <= rule.rate->count);
        }
    }
}
