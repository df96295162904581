// Limits over several shards: what policies limit stands in the first one, so that one counts; of what is set at run time for tasks
// that are spread each shard has a share (core/limit_shares.hpp).
#include <errand/error.hpp>

#include "core/random.hpp"
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <utility>

namespace errand {
namespace {

using limit_states = std::vector<limit_state>;
using limit_names = std::shared_ptr<const std::vector<std::string>>;

awaitable<limit_states> states_of(store& in, limit_names names) { co_return co_await in.limits_of(*names); }

// Whoever does not hear it now does at another look.
awaitable<bool> share_told(store& in, const limit_shares& all, std::size_t shard) {
    try {
        co_await in.set_share(all.name, all.of[shard].since, rule_for_shard(all, shard),
                              all.rule.value_or(limit_rule{}));
        co_return true;
    } catch (const std::exception&) {
        co_return false;
    }
}

// Without those of a version of errand that writes them otherwise: whoever is of that version looks after them.
std::vector<limit_shares> readable(const std::vector<std::string>& records) {
    std::vector<limit_shares> all;
    for (const auto& one : records) {
        try {
            all.push_back(decode_limit_shares(one));
        } catch (const bad_data&) {
            continue;
        }
    }
    return all;
}

std::optional<limit_shares> shares_of(const std::string& name, const std::vector<std::string>& records) {
    for (const auto& one : records) {
        auto read = decode_limit_shares(one);
        if (read.name == name) return read;
    }
    return std::nullopt;
}

// What each shard says of this limit; nothing of those that are away, or were asked before it was there.
std::vector<std::optional<seen_share>> seen_of(const std::string& name,
                                               const std::vector<std::optional<limit_states>>& answers) {
    std::vector<std::optional<seen_share>> seen;
    for (const auto& one : answers) {
        auto& shard = seen.emplace_back();
        if (!one) continue;
        const auto at = std::ranges::find(*one, name, &limit_state::name);
        if (at == one->end()) continue;
        shard = seen_share{.heard = at->share,
                           .running = at->running,
                           .waiting = at->waiting,
                           .in_line = at->in_line,
                           .now = at->seen_at,
                           .rule = at->set,
                           .anew = at->share_is_old};
    }
    return seen;
}

void add(limit_state& sum, const limit_state& one) {
    sum.running += one.running;
    sum.waiting += one.waiting;
    sum.throttled += one.throttled;
    if (one.opens_at && (!sum.opens_at || *one.opens_at < *sum.opens_at)) sum.opens_at = one.opens_at;
}

}  // namespace

awaitable<void> sharded_store::declare_limits(std::span<const named_limit> limits) {
    return shards_.front()->declare_limits(limits);
}

awaitable<void> sharded_store::set_limit(const std::string& name, std::optional<limit_rule> rule) {
    return change_limit(name, std::move(rule), reach::first);
}

awaitable<void> sharded_store::spread_limit(const std::string& name, std::optional<limit_rule> rule) {
    return change_limit(name, std::move(rule), reach::any);
}

awaitable<void> sharded_store::change_limit(std::string name, std::optional<limit_rule> rule, reach where) {
    auto& first = *shards_.front();
    for (;;) {
        const auto lent = co_await first.lent({});
        auto before = shares_of(name, lent.records);
        // What is shared out stays so: tasks that have its gates may stand in any shard.
        const bool is_shared = before && before->rule;
        const bool needs_no_shares = where == reach::first || (!before && !rule);
        if (!is_shared && needs_no_shares) co_return co_await first.set_limit(name, std::move(rule));
        std::vector<std::string> names{name};
        const auto asked = std::make_shared<const std::vector<std::string>>(std::move(names));
        const auto answers =
            co_await those_there<limit_states>([asked](store& in) { return states_of(in, asked); });
        const auto seen = seen_of(name, answers);
        auto all = with_rule(std::move(before), name, rule, seen, first.now());
        const auto stamp = std::exchange(all.stamp, random_bits() | 1U);
        if (!co_await first.lend(name, stamp, encode(all))) continue;
        // One that is away is told by a worker when it is there again.
        co_await tell_shares(all, seen);
        co_return;
    }
}

awaitable<std::size_t> sharded_store::tell_shares(const limit_shares& all,
                                                  std::span<const std::optional<seen_share>> seen) {
    const auto told = std::make_shared<const limit_shares>(all);
    const auto calls =
        std::make_shared<shards::late_answers<bool>>(co_await boost::asio::this_coro::executor, shards());
    std::size_t count = 0;
    for (std::size_t shard = 0; shard < shards(); ++shard) {
        // What is older than what it has heard it does not take.
        if (!seen[shard] || !is_to_hear(all.of[shard], *seen[shard])) continue;
        ++count;
        calls->start(shard, share_told(*shards_[shard], *told, shard), told);
    }
    co_await calls->wait(patience_of_lookers);
    co_return count;
}

awaitable<limits_balance> sharded_store::balance_limits(std::string_view worker) {
    auto& first = *shards_.front();
    const auto lent = co_await first.lent(worker);
    if (lent.others_do_it) co_return limits_balance::elsewhere;
    auto all = readable(lent.records);
    if (all.empty()) co_return limits_balance::even;
    std::vector<std::string> names;
    for (const auto& one : all) names.push_back(one.name);
    const auto asked = std::make_shared<const std::vector<std::string>>(std::move(names));
    // What comes late is of use to the next look: a shard that has heard of a share does not use more than that again.
    const auto answers = co_await shares_.ask([&](std::size_t at) -> std::optional<awaitable<limit_states>> {
        if (is_yet_to_come(at)) return std::nullopt;
        return states_of(*shards_[at], asked);
    });
    auto found = limits_balance::even;
    // One of them may take in a look, whichever: tasks may pass several.
    std::ranges::shuffle(all, std::mt19937_64{random_bits()});
    bool takes = true;
    for (auto& one : all) {
        if (one.of.size() != shards()) continue;
        const auto seen = seen_of(one.name, answers);
        if (balance(one, seen, first.now(), takes)) {
            found = limits_balance::changing;
            takes = false;
            const auto stamp = std::exchange(one.stamp, random_bits() | 1U);
            if (!co_await first.lend(one.name, stamp, encode(one))) continue;
        }
        if (co_await tell_shares(one, seen) > 0) found = limits_balance::changing;
        const bool any_away = std::ranges::any_of(seen, [](const auto& shard) { return !shard; });
        if (any_away && found == limits_balance::even) found = limits_balance::behind;
    }
    co_return found;
}

// What is declared stands in the first shard, without which nothing can be said.
awaitable<std::vector<limit_state>> sharded_store::limits() {
    auto& first = *shards_.front();
    auto answers = co_await those_there<limit_states>([](store& in) { return in.limits(); });
    if (!answers.front()) answers.front() = co_await first.limits();
    std::map<std::string, limit_state> all;
    for (const auto& answer : answers) {
        if (!answer) continue;
        for (const auto& one : *answer) {
            const auto [at, is_new] = all.try_emplace(one.name, one);
            if (!is_new) add(at->second, one);
        }
    }
    const auto lent = co_await first.lent({});
    for (const auto& shares : readable(lent.records)) {
        const auto at = all.find(shares.name);
        if (at != all.end() && shares.rule) at->second.set = shares.rule;
    }
    limit_states listed;
    for (auto& [name, one] : all) listed.push_back(std::move(one));
    co_return listed;
}

// Each in the shard of its task.
awaitable<std::vector<yield_verdict>> sharded_store::yield_gates(std::span<const yield_wish> wishes) {
    std::vector<yield_verdict> got(wishes.size(), yield_verdict::lost);
    auto parts = by_shard(wishes, &yield_wish::id);
    for (auto& part : parts) {
        for (auto& one : part.items) one.claim = inner(one.claim);
        const auto answers = co_await shards_[part.shard]->yield_gates(part.items);
        for (std::size_t i = 0; i < part.indexes.size(); ++i) got[part.indexes[i]] = answers.at(i);
    }
    co_return got;
}

}  // namespace errand
