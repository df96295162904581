// Limits over several shards: what policies limit stands in the first one, so that one counts; of what is set at run time for tasks
// that are spread each shard has a share.
#include "store/shards/sharded_store.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace errand {
namespace {

awaitable<std::vector<limit_state>> states_of(store& in,
                                              std::shared_ptr<const std::vector<std::string>> names) {
    co_return co_await in.limits_of(*names);
}

}  // namespace

awaitable<void> sharded_store::declare_limits(std::span<const named_limit> limits) {
    return shards_.front()->declare_limits(limits);
}

awaitable<std::vector<limit_shares>> sharded_store::all_shares() {
    const auto lent = co_await shards_.front()->lent({});
    std::vector<limit_shares> all;
    for (const auto& one : lent.records) all.push_back(decode_limit_shares(one));
    co_return all;
}

awaitable<std::vector<std::vector<std::optional<seen_share>>>> sharded_store::seen_shares(
    std::vector<std::string> names) {
    const auto asked = std::make_shared<const std::vector<std::string>>(std::move(names));
    const auto answers =
        co_await those_there<std::vector<limit_state>>([asked](store& in) { return states_of(in, asked); });
    std::vector<std::vector<std::optional<seen_share>>> seen(asked->size());
    for (std::size_t at = 0; at < asked->size(); ++at) {
        seen[at].resize(shards());
        for (std::size_t shard = 0; shard < shards(); ++shard) {
            if (!answers[shard]) continue;
            const auto& one = answers[shard]->at(at);
            seen[at][shard] = seen_share{one.share, one.running, one.waiting};
        }
    }
    co_return seen;
}

// Those that have not heard of the newest.
awaitable<std::size_t> sharded_store::tell_shares(const limit_shares& all,
                                                  std::span<const std::optional<seen_share>> seen) {
    std::vector<awaitable<bool>> calls;
    for (std::size_t shard = 0; shard < shards(); ++shard) {
        const auto since = all.of[shard].since;
        if (!seen[shard] || seen[shard]->heard == since) continue;
        calls.push_back(shards::done(shards_[shard]->set_share(all.name, since, rule_for_shard(all, shard))));
    }
    const auto told = co_await shards::all_answers(std::move(calls));
    co_return told.size();
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
        std::optional<limit_shares> before;
        for (auto& one : co_await all_shares()) {
            if (one.name == name) before = std::move(one);
        }
        // What is or was shared out stays so: tasks that have its gates may stand in any shard.
        if (!before && (where == reach::first || !rule))
            co_return co_await first.set_limit(name, std::move(rule));
        std::vector<std::string> names{name};
        const auto of_each = co_await seen_shares(std::move(names));
        const auto& seen = of_each.front();
        const auto version = before ? before->version : 0;
        const auto all = with_rule(std::move(before), name, rule, seen, first.now());
        if (!co_await first.lend(name, version, encode(all))) continue;
        // One that is away is told by a worker when it is there again.
        co_await tell_shares(all, seen);
        co_return;
    }
}

awaitable<std::vector<limit_state>> sharded_store::limits() {
    const auto shares = co_await all_shares();
    std::map<std::string, limit_state> all;
    for (auto& answer :
         co_await those_there<std::vector<limit_state>>([](store& in) { return in.limits(); })) {
        if (!answer) continue;
        for (auto& one : *answer) {
            const auto [at, fresh] = all.try_emplace(one.name, one);
            auto& sum = at->second;
            if (fresh) continue;
            sum.running += one.running;
            sum.waiting += one.waiting;
            sum.throttled += one.throttled;
            if (one.opens_at && (!sum.opens_at || *one.opens_at < *sum.opens_at)) sum.opens_at = one.opens_at;
        }
    }
    for (const auto& one : shares) {
        const auto at = all.find(one.name);
        if (at != all.end()) at->second.set = one.rule;
    }
    std::vector<limit_state> listed;
    for (auto& [name, one] : all) listed.push_back(std::move(one));
    co_return listed;
}

awaitable<limits_balance> sharded_store::balance_limits(std::string_view worker) {
    auto& first = *shards_.front();
    const auto lent = co_await first.lent(worker);
    if (lent.others_do_it) co_return limits_balance::behind;
    std::vector<limit_shares> all;
    std::vector<std::string> names;
    for (const auto& one : lent.records) {
        all.push_back(decode_limit_shares(one));
        names.push_back(all.back().name);
    }
    if (names.empty()) co_return limits_balance::even;
    const auto seen = co_await seen_shares(names);
    auto balance_now = limits_balance::even;
    for (std::size_t at = 0; at < all.size(); ++at) {
        auto& one = all[at];
        const auto version = one.version;
        if (one.of.size() != shards()) continue;
        if (balance(one, seen[at], first.now())) {
            balance_now = limits_balance::changing;
            if (!co_await first.lend(one.name, version, encode(one))) continue;
        }
        if (co_await tell_shares(one, seen[at]) > 0) balance_now = limits_balance::changing;
        const bool any_away = std::ranges::any_of(seen[at], [](const auto& from) { return !from; });
        if (any_away && balance_now == limits_balance::even) balance_now = limits_balance::behind;
    }
    co_return balance_now;
}

// What has gates stands in the first one as well; the ids say so.
awaitable<std::vector<yield_verdict>> sharded_store::yield_gates(std::span<const yield_wish> wishes) {
    std::vector<yield_verdict> got(wishes.size(), yield_verdict::lost);
    for (std::size_t shard = 0; shard < shards(); ++shard) {
        std::vector<yield_wish> theirs;
        std::vector<std::size_t> at;
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            if (shard_of(wishes[i].id) != shard) continue;
            at.push_back(i);
            theirs.push_back(wishes[i]);
            theirs.back().claim = shards::inner_claim(wishes[i].claim, shards());
        }
        if (theirs.empty()) continue;
        const auto answers = co_await shards_[shard]->yield_gates(theirs);
        for (std::size_t i = 0; i < at.size(); ++i) got[at[i]] = answers.at(i);
    }
    co_return got;
}

}  // namespace errand
