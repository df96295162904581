// Limits that are shared out among shards: whoever needs it comes to have it, and there is never more than the limit.
#include "unit/limit_shares_model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using namespace errand;
using namespace errand::shares_test;
using namespace std::chrono_literals;

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
    CHECK(rule_for_shard(*t.record, 1)->rate->count == 0);
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

TEST_CASE("a very large limit is shared out at once") {
    model t{3, {.max_running = std::numeric_limits<int>::max()}};
    std::int64_t sum = 0;
    for (std::size_t at = 0; at < 3; ++at) sum += *rule_for_shard(*t.record, at)->max_running;
    CHECK(sum == std::numeric_limits<int>::max());
}

TEST_CASE("a shard that has all of a rate reaches it, burst and all") {
    shard_model shard;
    shard.queued = 1000;
    const rate_limit whole{.count = 10, .per = 1s, .burst = 4};
    shard.hear(1, limit_rule{.rate = whole}, limit_rule{.rate = whole}, 0);
    const time_point begun{1'790'000'000'000ms};
    while (shard.start(begun)) {
    }
    CHECK(shard.starts.size() == 4);
    for (auto now = begun; now < begun + 10s; now += 1ms) shard.start(now);
    // 7 come back in a second.
    CHECK(shard.starts.size() >= 73);
}

TEST_CASE("starts that are out are of use to the shard that has them as soon as it needs them again") {
    model t{2, {.rate = rate_limit{.count = 4, .per = 1h}}};
    t.shards[0].queued = 100;
    t.round();
    t.round();
    CHECK(t.record->of[1].starts.told < 2);
    t.shards[1].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    CHECK(t.record->of[0].starts.told == 2);
    CHECK(t.record->of[1].starts.told == 2);
}

TEST_CASE("who has waited for another task needs no start to go on, and a shard without starts lets it") {
    model t{2, {.max_running = 3, .rate = rate_limit{.count = 1, .per = 1h}}};
    t.shards[0].in_line = 1;
    t.shards[1].queued = 5;
    for (int i = 0; i < 200; ++i, t.now += 1min) t.round();
    CHECK(rule_for_shard(*t.record, 1)->rate->count == 1);
    const auto first = rule_for_shard(*t.record, 0);
    CHECK(first->rate->count == 0);
    CHECK(*first->max_running >= 1);
}
