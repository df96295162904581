#include "core/limit_shares.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace errand {
namespace {

// Clocks of servers tick alike, but not quite.
constexpr duration margin{100};
// An end of starts that are out that has come already.
constexpr std::int64_t starts_over = 1;
// So long a share that does not suffice for all stays before it goes to the next.
constexpr duration shortest_stay{2'000};

std::uint64_t later_version(std::uint64_t before, time_point now) {
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
    return std::max(before + 1, static_cast<std::uint64_t>(std::max<std::int64_t>(micros, 1)));
}

// Who gets how much of `most`: equally many, until each has what it wants; where it is not enough for one more each, those that
// come first in `order`. What nobody wants stays where it is, or is spread.
std::vector<int> divide(std::int64_t most, std::span<const std::int64_t> wants, std::span<const int> has,
                        std::span<const std::size_t> order) {
    std::vector<int> got(wants.size(), 0);
    auto left = most;
    for (;;) {
        const auto unmet = std::ranges::count_if(order, [&](std::size_t at) { return got[at] < wants[at]; });
        if (unmet == 0 || left < unmet) break;
        const auto each = left / unmet;
        for (const auto at : order) {
            const auto more = std::min<std::int64_t>(each, wants[at] - got[at]);
            got[at] += static_cast<int>(more);
            left -= more;
        }
    }
    for (const auto at : order) {
        if (left == 0 || got[at] >= wants[at]) continue;
        ++got[at];
        --left;
    }
    for (const auto at : order) {
        const auto more = std::clamp<std::int64_t>(has[at] - got[at], 0, left);
        got[at] += static_cast<int>(more);
        left -= more;
    }
    auto sharers = static_cast<std::int64_t>(order.size());
    for (const auto at : order) {
        // Rounded up: the first ones have what cannot be divided.
        const auto more = (left + sharers - 1) / sharers;
        --sharers;
        got[at] += static_cast<int>(more);
        left -= more;
    }
    return got;
}

// One of the two parts of all shares.
class sharing {
public:
    sharing(std::vector<shard_share>& of, share_part shard_share::* part, int most, bool takes)
        : of_{of}, part_{part}, most_{most}, takes_{takes} {}

    // `order`: of the shards that are there, who comes first where it is not enough for all.
    void share_out(std::span<const std::int64_t> wants, std::vector<std::size_t> order,
                   std::vector<bool>& changed) {
        std::int64_t away = 0;
        std::vector<int> has;
        for (const auto& one : of_) has.push_back((one.*part_).told);
        for (std::size_t at = 0; at < of_.size(); ++at) {
            if (std::ranges::find(order, at) == order.end()) away += (of_[at].*part_).out;
        }
        const auto wish = divide(std::max<std::int64_t>(0, most_ - away), wants, has, order);
        for (const auto at : order) {
            auto& part = of_[at].*part_;
            if (takes_ && wish[at] < part.told) {
                part.told = wish[at];
                changed[at] = true;
            }
        }
        for (const auto at : order) {
            auto& part = of_[at].*part_;
            const auto more = std::min<std::int64_t>(wish[at] - part.told, part.out - part.told + room());
            if (more <= 0) continue;
            part.told += static_cast<int>(more);
            part.out = std::max(part.out, part.told);
            changed[at] = true;
        }
    }

private:
    // Below 0 while more is out than there is now.
    std::int64_t room() const {
        return most_ - std::accumulate(of_.begin(), of_.end(), std::int64_t{0},
                                       [&](auto sum, const auto& one) { return sum + (one.*part_).out; });
    }

    std::vector<shard_share>& of_;
    share_part shard_share::* part_;
    int most_;
    bool takes_;
};

std::int64_t wants_to_run(const seen_share& one) { return one.running + one.waiting + one.in_line; }
std::int64_t wants_to_start(const seen_share& one) { return one.waiting; }

// Those that are there. Where not each can have something they come first in turn; else who has more keeps it: first of what it
// may still use, since that is of use to nobody else. `wants`: above 0 of those who need it.
std::vector<std::size_t> order_of(const limit_shares& all, std::span<const std::optional<seen_share>> seen,
                                  share_part shard_share::* part, int most,
                                  std::int64_t (*wants)(const seen_share&), duration stay, time_point now) {
    std::vector<std::size_t> order;
    std::int64_t in_need = 0;
    for (std::size_t at = 0; at < all.of.size(); ++at) {
        if (!seen[at]) continue;
        order.push_back(at);
        if (wants(*seen[at]) > 0) ++in_need;
    }
    if (order.empty()) return order;
    if (in_need > most) {
        // Only who needs it takes part in the turns.
        std::ranges::stable_partition(order, [&](auto at) { return wants(*seen[at]) > 0; });
        const auto turn = now.time_since_epoch() / stay % in_need;
        std::rotate(order.begin(), order.begin() + turn, order.begin() + in_need);
    } else {
        std::ranges::stable_sort(order, std::greater{}, [&](auto at) {
            const auto& has = all.of[at].*part;
            return std::pair{has.out, has.told};
        });
    }
    return order;
}

int running_now(const std::optional<limit_rule>& rule, const std::optional<seen_share>& seen) {
    if (!rule || !rule->max_running || !seen) return 0;
    return static_cast<int>(std::clamp<std::int64_t>(seen->running, 0, std::numeric_limits<int>::max()));
}

bool has_heard(const shard_share& one, const seen_share& seen) {
    return seen.heard == one.since && !seen.anew;
}

// Of starts the shard's own clock counts, as it does in the shard.
void take_back(shard_share& one, const seen_share& seen, const limit_rule& rule, bool& changed) {
    const auto used = running_now(rule, seen);
    auto out = std::max(one.running.out, used);
    // What it has not heard of it may still do.
    if (has_heard(one, seen)) out = std::max(one.running.told, used);
    changed = changed || out != one.running.out;
    one.running.out = out;
    // Its clock is another one, too.
    if (seen.anew && one.starts_end != 0) {
        one.starts_end = 0;
        changed = true;
    }
    if (!has_heard(one, seen) || one.starts.out <= one.starts.told || !rule.rate) return;
    const auto end = (seen.now + rule.rate->per + margin).time_since_epoch().count();
    // Farther ahead only a clock that went back can leave it.
    if (one.starts_end == 0 || one.starts_end > end) {
        one.starts_end = end;
        changed = true;
    } else if (seen.now.time_since_epoch().count() >= one.starts_end) {
        one.starts.out = one.starts.told;
        one.starts_end = 0;
        changed = true;
    }
}

// Returns which are told something else.
std::vector<bool> share_out(limit_shares& all, std::span<const std::optional<seen_share>> seen,
                            time_point now, bool takes) {
    std::vector<bool> changed(all.of.size(), false);
    const auto& rule = all.rule.value();
    if (rule.max_running) {
        std::vector<std::int64_t> wants;
        for (const auto& one : seen) wants.push_back(one ? wants_to_run(*one) : 0);
        const auto part = &shard_share::running;
        sharing{all.of, part, *rule.max_running, takes}.share_out(
            wants, order_of(all, seen, part, *rule.max_running, wants_to_run, shortest_stay, now), changed);
    }
    if (rule.rate) {
        const auto part = &shard_share::starts;
        const bool any =
            std::ranges::any_of(seen, [](const auto& one) { return one && wants_to_start(*one) > 0; });
        std::vector<std::int64_t> wants;
        // One at which nobody waits uses less than it has: how much is not counted, so it gives up half.
        for (std::size_t at = 0; at < seen.size(); ++at)
            wants.push_back(seen[at] && wants_to_start(*seen[at]) > 0 ? rule.rate->count
                            : any                                     ? all.of[at].starts.told / 2
                                                                      : 0);
        const auto stay = std::max(shortest_stay, 3 * rule.rate->per);
        auto order = order_of(all, seen, part, rule.rate->count, wants_to_start, stay, now);
        const auto before = all.of;
        sharing{all.of, part, rule.rate->count, takes}.share_out(wants, std::move(order), changed);
        for (std::size_t at = 0; at < all.of.size(); ++at) {
            if (all.of[at].starts.told < before[at].starts.told) all.of[at].starts_end = 0;
        }
    }
    return changed;
}

// What it was told is not known.
bool is_forgotten(const shard_share& one, const std::optional<seen_share>& seen) {
    return seen && seen->heard > one.since;
}

// By what it has heard itself; all of it where that cannot be said.
int may_run(const std::optional<seen_share>& seen, const limit_rule& whole) {
    if (!whole.max_running) return 0;
    const bool is_said = seen && seen->rule && seen->rule->max_running;
    return is_said ? *seen->rule->max_running : *whole.max_running;
}
int may_start(const std::optional<seen_share>& seen, const limit_rule& whole) {
    if (!whole.rate) return 0;
    const bool is_said = seen && seen->rule && seen->rule->rate && seen->rule->rate->per == whole.rate->per;
    return is_said ? seen->rule->rate->count : whole.rate->count;
}

// Changes may be lost, and nobody can say of which that is away.
void doubt_those_away(limit_shares& all, std::span<const std::optional<seen_share>> seen, bool& changed) {
    for (std::size_t at = 0; at < all.of.size(); ++at) {
        if (seen[at]) continue;
        const auto before = all.of[at];
        auto& one = all.of[at];
        one.running.out = std::max(one.running.out, may_run(seen[at], *all.rule));
        one.starts.out = std::max(one.starts.out, may_start(seen[at], *all.rule));
        one.starts_end = 0;
        changed = changed || before != one;
    }
}

// The record stands where the first of them does.
bool record_may_be_older(std::span<const std::optional<seen_share>> seen) {
    return !seen.empty() && seen.front() && seen.front()->anew;
}

// Returns who is to be told anew, if any: where one has heard what the record does not know, all. What the lost changes have told the
// others may still be under way.
std::vector<bool> find_forgotten(limit_shares& all, std::span<const std::optional<seen_share>> seen) {
    std::vector<bool> forgotten;
    for (std::size_t at = 0; at < all.of.size(); ++at)
        forgotten.push_back(is_forgotten(all.of[at], seen[at]));
    if (!all.rule || std::ranges::count(forgotten, true) == 0) return forgotten;
    for (std::size_t at = 0; at < all.of.size(); ++at) {
        auto& one = all.of[at];
        one.running = {.told = 0, .out = std::max(one.running.out, may_run(seen[at], *all.rule))};
        one.starts = {.told = 0, .out = std::max(one.starts.out, may_start(seen[at], *all.rule))};
        one.starts_end = 0;
    }
    return std::vector<bool>(all.of.size(), true);
}

void tell_anew(limit_shares& all, std::span<const std::optional<seen_share>> seen,
               const std::vector<bool>& whom, time_point now) {
    for (const auto& one : seen) all.version = std::max(all.version, one ? one->heard : 0);
    all.version = later_version(all.version, now);
    for (std::size_t at = 0; at < all.of.size(); ++at) {
        if (whom[at]) all.of[at].since = all.version;
    }
}

bool same_window(const std::optional<limit_rule>& a, const limit_rule& b) {
    return a && a->rate && b.rate && a->rate->per == b.rate->per;
}

// What a shard may still do by the last rule, in which this part was another one or none; `most` by the new rule. One that has heard
// of a rule without it does nothing that counts.
int still_out(const shard_share& one, share_part shard_share::* part, const std::optional<seen_share>& seen,
              int most) {
    if (is_forgotten(one, seen)) return most;
    return seen && has_heard(one, *seen) ? 0 : (one.*part).out;
}

void begin_running(shard_share& one, const std::optional<seen_share>& seen,
                   const std::optional<limit_rule>& rule) {
    one.running.told = 0;
    // Without a rule it stays so until the shard is known to have heard.
    if (!rule || !rule->max_running) return;
    const auto out = still_out(one, &shard_share::running, seen, *rule->max_running);
    // What runs already counts.
    one.running.out = std::max(out, running_now(rule, seen));
}

void begin_starts(shard_share& one, const std::optional<seen_share>& seen,
                  const std::optional<limit_rule>& rule, bool had_rate) {
    one.starts.told = 0;
    one.starts_end = 0;
    if (!rule || !rule->rate) return;
    const auto most = rule->rate->count;
    const auto out = had_rate ? one.starts.out : still_out(one, &shard_share::starts, seen, most);
    // In a time of another length it may be as many.
    one.starts.out = out > 0 ? most : 0;
    // Whoever was there starts by the new rule as soon as it has heard.
    if (had_rate && seen && has_heard(one, *seen)) one.starts_end = starts_over;
}

}  // namespace

std::optional<limit_rule> rule_for_shard(const limit_shares& all, std::size_t shard) {
    if (!all.rule) return std::nullopt;
    auto rule = *all.rule;
    const auto& one = all.of.at(shard);
    if (rule.max_running) rule.max_running = one.running.told;
    if (!rule.rate) return rule;
    const auto whole = rule.rate->count;
    rule.rate->count = one.starts.told;
    if (rule.rate->burst > 0 && one.starts.told > 0)
        rule.rate->burst = static_cast<int>(std::max<std::int64_t>(1, std::int64_t{rule.rate->burst} *
                                                                          one.starts.told / whole));
    return rule;
}

bool is_to_hear(const shard_share& one, const seen_share& seen) {
    return seen.heard < one.since || (seen.anew && seen.heard == one.since);
}

limit_shares with_rule(std::optional<limit_shares> before, std::string name, std::optional<limit_rule> rule,
                       std::span<const std::optional<seen_share>> seen, time_point now) {
    auto all = std::move(before).value_or(limit_shares{});
    all.name = std::move(name);
    all.of.resize(seen.size());
    const bool keeps_starts = rule && same_window(all.rule, *rule);
    const bool keeps_running = rule && rule->max_running && all.rule && all.rule->max_running;
    const bool had_rate = all.rule && all.rule->rate;
    if (rule) find_forgotten(all, seen);
    bool changed = false;
    if (all.rule && record_may_be_older(seen)) doubt_those_away(all, seen, changed);
    for (std::size_t at = 0; at < seen.size(); ++at) {
        auto& one = all.of[at];
        if (keeps_running)
            one.running.out = std::max(one.running.out, running_now(rule, seen[at]));
        else
            begin_running(one, seen[at], rule);
        if (!keeps_starts) begin_starts(one, seen[at], rule, had_rate);
    }
    all.rule = std::move(rule);
    if (all.rule) share_out(all, seen, now, true);
    tell_anew(all, seen, std::vector<bool>(seen.size(), true), now);
    return all;
}

bool balance(limit_shares& all, std::span<const std::optional<seen_share>> seen, time_point now, bool takes) {
    // Without the one where the record stands nobody can say whether it has lost changes.
    if (seen.size() != all.of.size() || !seen.front()) return false;
    bool changed = false;
    const auto forgotten = find_forgotten(all, seen);
    auto told = forgotten;
    if (all.rule) {
        if (record_may_be_older(seen)) doubt_those_away(all, seen, changed);
        for (std::size_t at = 0; at < all.of.size(); ++at) {
            if (seen[at] && !forgotten[at]) take_back(all.of[at], *seen[at], *all.rule, changed);
        }
        told = share_out(all, seen, now, takes);
        for (std::size_t at = 0; at < told.size(); ++at) told[at] = told[at] || forgotten[at];
    }
    changed = changed || std::ranges::count(told, true) > 0;
    if (changed) tell_anew(all, seen, told, now);
    return changed;
}

}  // namespace errand
