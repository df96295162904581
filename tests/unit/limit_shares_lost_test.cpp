// Shares of limits when shards are away, fail over or have another clock: nobody is given what somebody else may still use.
#include "unit/limit_shares_model.hpp"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <utility>

using namespace errand;
using namespace errand::shares_test;
using namespace std::chrono_literals;

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

TEST_CASE("what a shard that is away may still do stays out, whatever is set meanwhile") {
    for (const auto& rule :
         {limit_rule{.max_running = 4}, limit_rule{.rate = rate_limit{.count = 4, .per = 1s}}}) {
        model t{2, rule};
        for (auto& one : t.shards) one.queued = 10;
        t.start_all();
        const bool is_rate = rule.rate.has_value();
        const auto left = [&] {
            auto told = rule_for_shard(*t.record, 0);
            return is_rate ? (told->rate ? told->rate->count : 0) : *told->max_running;
        };
        const auto without_second = [&](std::optional<limit_rule> next) {
            auto seen = t.look();
            seen[1].reset();
            t.record = with_rule(std::move(t.record), "queue:mail", std::move(next), seen, t.now);
            t.shards[0].hear(t.record->of[0].since, rule_for_shard(*t.record, 0), t.record->rule, 0);
        };
        without_second(std::nullopt);
        without_second(rule);
        // The other one has a share of two yet; of a rate, in a time that is not known, all.
        CHECK(left() == (is_rate ? 0 : 2));
        without_second(std::nullopt);
        without_second(limit_rule{.max_running = rule.max_running,
                                  .rate = rate_limit{.count = 6, .per = 5s}});
        CHECK(rule_for_shard(*t.record, 0)->rate->count == (is_rate ? 0 : 6));
        // It is there again.
        for (int i = 0; i < 200; ++i, t.now += 100ms) t.round();
        CHECK(rule_for_shard(*t.record, 0)->rate->count == 3);
        CHECK(rule_for_shard(*t.record, 1)->rate->count == 3);
    }
}

TEST_CASE("more that runs in a shard than the record knows of is given to nobody else") {
    model t{3, {}};
    t.set(limit_rule{.max_running = 6});
    // Claimed between the look and the message.
    t.shards[0].running = 6;
    t.shards[1].queued = 10;
    for (int i = 0; i < 4; ++i) t.round();
    CHECK(t.record->of[1].running.told == 2);
    t.shards[0].running = 0;
    for (int i = 0; i < 4; ++i) t.round();
    t.start_all();
    CHECK(t.shards[1].running == 6);
}

TEST_CASE("starts that are out come back although the clock was set back meanwhile") {
    model t{2, {.rate = rate_limit{.count = 4, .per = 1s}}};
    t.shards[0].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    t.now -= 24h;
    for (int i = 0; i < 100; ++i, t.now += 100ms) t.round();
    CHECK(t.record->of[0].starts.told == 4);
}

TEST_CASE("a limit that was cleared is cleared again where a shard has heard of something newer") {
    model t{2, {.max_running = 4}};
    t.set(std::nullopt);
    t.shards[1].hear(t.shards[1].heard + 5'000'000, limit_rule{.max_running = 1},
                     limit_rule{.max_running = 4}, 0);
    CHECK(t.round());
    CHECK_FALSE(t.shards[1].rule);
    CHECK_FALSE(t.round());
}

TEST_CASE("a fail-over of the record while a shard is away gives nobody what that one may have been told") {
    model t{3, {.max_running = 6}};
    const auto before = *t.record;
    t.shards[2].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    REQUIRE(t.shards[2].running == 6);
    t.record = before;
    t.shards[0].queued = t.shards[1].queued = 100;
    auto seen = t.look();
    seen[2].reset();
    for (int i = 0; i < 5; ++i) {
        balance(*t.record, seen, t.now);
        t.tell();
        seen = t.look();
        seen[2].reset();
        t.start_all();
        CHECK(t.running() == 6);
    }
    t.shards[2].running = 0;
    t.shards[2].queued = 0;
    for (int i = 0; i < 5; ++i) t.round();
    t.start_all();
    CHECK(t.running() == 6);
    CHECK(t.shards[0].running == 3);
}

TEST_CASE("a shard that fails over to a larger share lets nothing through before it hears of its own") {
    model t{2, {.max_running = 4}};
    t.shards[0].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    REQUIRE(t.shards[0].rule->max_running == 4);
    const auto before = t.shards[0];
    t.shards[0].queued = 0;
    t.shards[1].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    REQUIRE(t.shards[1].running == 4);
    t.shards[0].fail_over_to(before);
    t.shards[0].queued = 100;
    for (int i = 0; i < 4; ++i) {
        t.start_all();
        CHECK(t.running() == 4);
        t.round();
    }
    t.shards[1].running = t.shards[1].queued = 0;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    CHECK(t.shards[0].running == 4);
    // A start anew that has lost nothing is heard of, too.
    t.shards[0].fail_over_to(t.shards[0]);
    CHECK_FALSE(t.round());
    CHECK_FALSE(t.shards[0].anew);
}

TEST_CASE(
    "a record that fails over together with its own shard's share gives that one nothing back too early") {
    model t{2, {.max_running = 4}};
    t.shards[0].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    const auto shard_before = t.shards[0];
    const auto record_before = t.record;
    t.shards[0].queued = 0;
    t.shards[1].queued = 100;
    for (int i = 0; i < 3; ++i) t.round();
    t.start_all();
    REQUIRE(t.shards[1].running == 4);
    t.shards[0].fail_over_to(shard_before);
    t.record = record_before;
    t.shards[0].queued = 100;
    // As long as the other one is away nobody knows what that may do.
    for (const bool is_there : {false, false, true, true, true}) {
        auto seen = t.look();
        if (!is_there) seen[1].reset();
        balance(*t.record, seen, t.now);
        t.shards[0].hear(t.record->of[0].since, rule_for_shard(*t.record, 0), t.record->rule, 1);
        if (is_there) t.tell();
        t.start_all();
        CHECK(t.running() == 4);
    }
    t.shards[1].running = t.shards[1].queued = 0;
    for (int i = 0; i < 4; ++i) t.round();
    t.start_all();
    CHECK(t.shards[0].running == 4);
}

TEST_CASE("starts that are out are counted by the clock of the shard that has them") {
    model t{2, {.rate = rate_limit{.count = 4, .per = 1s}}};
    t.shards[1].queued = 100;
    for (int i = 0; i < 4; ++i) t.round();
    REQUIRE(t.record->of[0].starts.told < t.record->of[0].starts.out);
    // The clock of the record's server goes ahead.
    for (int i = 0; i < 4; ++i) balance(*t.record, t.look(), t.now + 1h);
    CHECK(t.record->of[0].starts.out == 2);
    t.now += 1h;
    for (int i = 0; i < 30; ++i, t.now += 100ms) t.round();
    CHECK(t.record->of[1].starts.told == 4);
}
