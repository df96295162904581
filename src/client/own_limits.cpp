#include "client/own_limits.hpp"

#include <errand/error.hpp>

#include "core/limit_rules.hpp"
#include "core/member_check.hpp"
#include "core/policy_rules.hpp"
#include "core/quota_record.hpp"
#include "core/random.hpp"
#include "core/run_time_limits.hpp"
#include "core/utf8.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/task_gates.hpp"

#include <algorithm>
#include <utility>

namespace errand {
namespace {

constexpr std::string_view of_handler = "handler:", of_queue = "queue:";

const known_handler* handler_of(std::string_view name) {
    return name.starts_with(of_handler) ? handlers::find(name.substr(of_handler.size())) : nullptr;
}

awaitable<std::optional<limit_rule>> declared_rule(store& in, const std::string& name) {
    for (auto& one : co_await in.limits()) {
        if (one.name == name) co_return std::move(one.declared);
    }
    co_return std::nullopt;
}

// Its tasks have gates of it by their policy.
awaitable<bool> is_declared(store& in, const std::string& name) {
    if (!name.starts_with(of_handler)) co_return false;
    if (const auto* handler = handler_of(name)) co_return has_own_limit(*handler);
    const auto declared = co_await declared_rule(in, name);
    co_return declared && *declared != limit_rule{};
}

awaitable<run_time_limits> kept_limits(store& in) {
    const auto bytes = co_await in.find_settings(std::string{run_time_limits_record_name});
    co_return bytes.empty() ? run_time_limits{} : decode_run_time_limits(bytes);
}

awaitable<void> note_limit(store& in, const std::string& name, bool set) {
    for (;;) {
        auto all = co_await kept_limits(in);
        if (all.names.contains(name) == set) co_return;
        if (set)
            all.add(name);
        else
            all.names.erase(name);
        const auto seen = std::exchange(all.stamp, random_bits() | 1U);
        settings_step step{
            .handler = std::string{run_time_limits_record_name}, .seen = seen, .record = encode(all)};
        if (co_await in.set_settings(std::move(step))) co_return;
    }
}

// A quota of what runs is in force again when nothing else is set.
awaitable<std::optional<limit_rule>> rule_below(store& in, const std::string& name) {
    if (name != limit_of_namespace) co_return std::nullopt;
    const auto bytes = co_await in.find_settings(std::string{quota_record_name});
    if (bytes.empty()) co_return std::nullopt;
    const auto most = decode_quota(bytes).rules.max_running;
    if (!most) co_return std::nullopt;
    co_return limit_rule{.max_running = most, .rate = {}};
}

}  // namespace

bool is_own_limit(std::string_view name) noexcept {
    return name.starts_with(of_handler) || name.starts_with(of_queue) || name == limit_of_namespace;
}

std::string own_name_of_limit(std::string name) {
    const auto* handler = handler_of(name);
    return handler ? limit_of_handler(handler->identity) : name;
}

void check_own_limit(std::string_view name) {
    if (!name.starts_with(of_queue)) return;
    const auto queue = name.substr(of_queue.size());
    const bool control =
        std::ranges::any_of(queue, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (!queue.empty() && queue.size() <= max_name_length && !control &&
        first_invalid_utf8(queue) == queue.size())
        return;
    throw usage_error{"limit " + member_check::quote(name) + ": a queue's name is 1.." +
                      std::to_string(max_name_length) + " bytes of UTF-8 without control characters"};
}

awaitable<void> set_own_limit(loop& there, const std::string& name, std::optional<limit_rule> rule) {
    auto& in = there.tasks();
    const bool declared = co_await is_declared(in, name);
    // Over several shards tasks that were spread have its gates, also when its policy has come to limit it.
    const bool is_spread = in.shards() > 1 && co_await is_limited_at_run_time(in, name);
    const bool noted = rule && (!declared || is_spread);
    // Programs know of it before it holds: what they submit meanwhile counts.
    co_await note_limit(in, name, noted);
    const auto in_force = rule ? rule : co_await rule_below(in, name);
    const auto* handler = handler_of(name);
    // What its policy limits in any way stands in one shard.
    if (declared || (handler && has_gates(*handler)))
        co_await in.set_limit(name, in_force);
    else
        co_await in.spread_limit(name, in_force);
    // What this program submits next is judged by it.
    co_await there.learn_settings();
}

awaitable<bool> is_limited_at_run_time(store& in, const std::string& name) {
    const auto all = co_await kept_limits(in);
    co_return all.names.contains(name);
}

awaitable<std::optional<limit_rule>> rule_of_settings(store& in, const std::string& name,
                                                      const handler_settings& set) {
    if (!set.max_running && !set.rate) co_return std::nullopt;
    limit_rule rule{.max_running = set.max_running, .rate = set.rate};
    if (rule.max_running && rule.rate) co_return rule;
    const auto declared = co_await declared_rule(in, name);
    if (declared && !rule.max_running) rule.max_running = declared->max_running;
    if (declared && !rule.rate) rule.rate = declared->rate;
    co_return rule;
}

}  // namespace errand
