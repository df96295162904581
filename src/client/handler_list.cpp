// The handlers of a namespace: those that workers have told of, and those of which something is set.
#include <errand/inspect.hpp>

#include "core/quota_record.hpp"
#include "core/settings_record.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/policy_cards.hpp"

#include <map>

namespace errand {
namespace {

// What is set goes before the policy.
handler_settings settings_over(handler_settings policy, const handler_settings& set) {
    const auto over = [](auto& below, const auto& above) {
        if (above) below = above;
    };
    over(policy.max_retry, set.max_retry);
    over(policy.timeout, set.timeout);
    over(policy.backoff, set.backoff);
    over(policy.priority, set.priority);
    over(policy.retention, set.retention);
    over(policy.expires_after, set.expires_after);
    over(policy.max_running, set.max_running);
    over(policy.rate, set.rate);
    over(policy.batch, set.batch);
    over(policy.interval, set.interval);
    policy.paused = set.paused;
    return policy;
}

awaitable<std::vector<handler_info>> handlers_on(loop& there) {
    std::map<std::string, handler_info> all;
    std::map<std::string, std::int64_t> started;
    for (const auto& worker : co_await there.tasks().workers()) {
        auto card = handlers_in(worker.card);
        for (auto& [name, policy] : card.policies) {
            auto& one = all[name];
            one.name = name;
            one.workers.push_back(worker.name);
            auto [at, first] = started.emplace(name, card.started);
            if (!first && at->second > card.started) continue;
            at->second = card.started;
            one.in_force = std::move(policy);
        }
    }
    for (const auto& shard : co_await there.tasks().settings()) {
        if (!shard) continue;
        for (const auto& kept : *shard) {
            if (is_no_handler(kept.handler)) continue;
            auto record = decode_settings(kept.record);
            if (is_nothing(record.values) && !all.contains(kept.handler)) continue;
            auto& one = all[kept.handler];
            one.name = kept.handler;
            one.set = {.handler = kept.handler,
                       .settings = std::move(record.values),
                       .version = record.version,
                       .by = std::move(record.by),
                       .at = record.at};
        }
    }
    std::vector<handler_info> list;
    for (auto& [name, one] : all) {
        one.set.handler = name;
        if (one.in_force) one.in_force = settings_over(std::move(*one.in_force), one.set.settings);
        list.push_back(std::move(one));
    }
    co_return list;
}

}  // namespace

awaitable<std::vector<handler_info>> inspector::handlers() const {
    return on_caller_loop(app_, [](loop& there) { return handlers_on(there); });
}

}  // namespace errand
