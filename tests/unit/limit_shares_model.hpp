// Shards that obey what they are told of their shares, for the tests of those.
#pragma once

#include "core/limit_shares.hpp"
#include "core/rate_gate.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace errand::shares_test {

using namespace std::chrono_literals;

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
        if (used_up < now) return now + (pace->tolerance < pace->spacing ? pace->tolerance : 0);
        return std::min(used_up, now + pace->tolerance + pace->spacing);
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

}  // namespace errand::shares_test
