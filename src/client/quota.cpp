// The quota of a namespace: set by compare-and-set, and read back.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/quota.hpp>

#include "client/own_limits.hpp"
#include "client/whole_look.hpp"
#include "core/limit_rules.hpp"
#include "core/quota_record.hpp"
#include "core/quota_rules.hpp"
#include "core/random.hpp"
#include "runtime/caller_loop.hpp"

#include <optional>
#include <string>
#include <utility>

namespace errand {
namespace {

awaitable<quota_record> kept_quota(store& in) {
    const auto bytes = co_await in.find_settings(std::string{quota_record_name});
    co_return bytes.empty() ? quota_record{} : decode_quota(bytes);
}

awaitable<quota_info> rules_on(loop& there) {
    auto record = co_await kept_quota(there.tasks());
    co_return quota_info{.rules = std::move(record.rules),
                         .version = record.version,
                         .by = std::move(record.by),
                         .at = record.at};
}

awaitable<quota_info> quota_on(loop& there) {
    auto info = co_await rules_on(there);
    info.queued = co_await count_queued(there.tasks());
    co_return info;
}

// What runs in the namespace is a limit of its own, which follows the quota: also when others set one at the same time.
awaitable<void> limit_what_runs(store& in, const quota_record& first) {
    const std::string name{limit_of_namespace};
    auto set = first;
    for (std::uint64_t followed = 0; followed != set.stamp; set = co_await kept_quota(in)) {
        std::optional<limit_rule> rule;
        if (set.rules.max_running) rule = limit_rule{.max_running = set.rules.max_running, .rate = {}};
        // What was set of the limit itself stays when the quota says nothing of it.
        if (rule || !co_await is_limited_at_run_time(in, name)) co_await in.spread_limit(name, rule);
        followed = set.stamp;
    }
}

awaitable<quota_info> set_quota_on(loop& there, quota_record change, quota_options how) {
    auto& in = there.tasks();
    for (;;) {
        const auto seen = co_await kept_quota(in);
        if (change.rules.max_queued && !how.below_queued)
            check_below_queued(change.rules, seen.rules, co_await count_queued(in));
        change.version = seen.version + 1;
        change.stamp = random_bits() | 1U;
        change.at = in.now();
        settings_step step{
            .handler = std::string{quota_record_name}, .seen = seen.stamp, .record = encode(change)};
        if (!co_await in.set_settings(std::move(step))) continue;
        // Also where neither says anything of it: whoever set the one before may have died on the way.
        co_await limit_what_runs(in, change);
        break;
    }
    // What this program submits next is judged by it.
    co_await there.learn_settings();
    co_return co_await quota_on(there);
}

}  // namespace

awaitable<quota_info> detail::set_quota(app_core& app, quota rules, quota_options how) {
    check_quota(rules);
    quota_record change;
    // "host:pid".
    change.by = app.process_name.substr(0, app.process_name.rfind(':'));
    change.rules = std::move(rules);
    co_return co_await on_caller_loop(&app, [change = std::move(change), how](loop& there) {
        return set_quota_on(there, change, how);
    });
}

awaitable<quota_info> detail::current_quota(app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return quota_on(there); });
}

awaitable<quota_info> quota_beside(const whole_look& seen, detail::app_core& app) {
    auto info = co_await on_caller_loop(&app, [](loop& there) { return rules_on(there); });
    for (const auto& one : seen.queues) {
        for (const auto of : {state::ready, state::delayed, state::retry, state::waiting})
            info.queued += static_cast<std::int64_t>(one.count(of));
    }
    co_return info;
}

}  // namespace errand
