// Limits that are shared out among shards: never more than the limit, whatever is lost, late or repeated; and whoever needs it
// comes to have it.
#include "core/limit_shares.hpp"
#include "core/rate_gate.hpp"

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
    std::optional<share_pace> pace;
    std::int64_t running = 0, queued = 0;
    std::int64_t in_line = 0;  // who has waited for another task
    std::int64_t used_up = 0;  // ns
    int server = 0;
    bool anew = false;
    std::vector<time_point> starts;

    // `meant`: the server that was seen before it was sent.
    void hear(std::uint64_t since, const std::optional<limit_rule>& told,
              const std::optional<limit_rule>& whole, int meant) {
        if (meant != server || since < heard || (since == heard && !anew)) return;
        heard = since;
        rule = told;
        anew = false;
        pace.reset();
        if (told && told->rate && told->rate->count > 0)
            pace = pace_of_share(whole->rate.value(), told->rate->count);
    }
    // Its replica takes its place, with what it had heard by then. What it let start since is known.
    void fail_over_to(const shard_model& before) {
        heard = before.heard;
        rule = before.rule;
        pace = before.pace;
        anew = rule.has_value();
        ++server;
    }
    // As stores do it: farther ahead than a full burst it is cut.
    std::int64_t used(std::int64_t now) const {
        return std::clamp(used_up, now, now + pace->tolerance + pace->spacing);
    }
    static std::int64_t ns(time_point at) { return std::chrono::nanoseconds{at.time_since_epoch()}.count(); }
    bool may_start(time_point now) const {
        if (!rule) return true;
        if (anew || (rule->rate && rule->rate->count == 0)) return false;
        if (rule->max_running && running >= *rule->max_running) return false;
        return !pace || used(ns(now)) - pace->tolerance <= ns(now);
    }
    bool start(time_point now) {
        if (queued == 0 || !may_start(now)) return false;
        --queued;
        ++running;
        if (pace) used_up = used(ns(now)) + pace->spacing;
        starts.push_back(now);
        return true;
    }
    seen_share seen(time_point now) const {
        return {.heard = heard,
                .running = running,
                .waiting = queued,
                .in_line = in_line,
                .now = now,
                .rule = rule,
                .anew = anew};
    }
};

struct model {
    model(std::size_t count, limit_rule rule) : shards(count) { set(rule); }

    std::vector<std::optional<seen_share>> look() const {
        std::vector<std::optional<seen_share>> seen;
        for (const auto& one : shards) seen.emplace_back(one.seen(now));
        return seen;
    }
    void set(std::optional<limit_rule> rule) {
        record = with_rule(std::move(record), "queue:mail", std::move(rule), look(), now);
        tell();
    }
    void tell() {
        for (std::size_t at = 0; at < shards.size(); ++at)
            shards[at].hear(record->of[at].since, rule_for_shard(*record, at), record->rule,
                            shards[at].server);
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
