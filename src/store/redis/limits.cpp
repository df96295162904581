// Limits: their rules, as scripts/lib_gates.lua reads them.
#include <errand/error.hpp>

#include "core/gates.hpp"
#include "core/rate_gate.hpp"
#include "store/redis/shard_store.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace errand::redis {
namespace {

// Numbers of Lua hold microseconds of this century to a quarter exactly. Rounded up: never a start too many.
std::int64_t quarters_in(std::int64_t nanoseconds) { return (nanoseconds + 249) / 250; }
std::string microseconds(std::int64_t quarters) {
    static constexpr std::array<std::string_view, 4> rest{"", ".25", ".5", ".75"};
    return std::to_string(quarters / 4).append(rest[static_cast<std::size_t>(quarters % 4)]);
}

// How many run, starts, in (ms), at once, spacing and tolerance of starts (us).
std::string rule_text(const limit_rule& rule) {
    const auto most = rule.max_running ? std::to_string(*rule.max_running) : "-";
    if (!rule.rate) return most + " - - - - -";
    const auto& rate = *rule.rate;
    const auto pace = pace_of(rate, rate.burst);
    const auto spacing = quarters_in((pace.per + pace.refills - 1) / pace.refills);
    return most + ' ' + std::to_string(rate.count) + ' ' + std::to_string(rate.per.count()) + ' ' +
           std::to_string(rate.burst) + ' ' + microseconds(spacing) + ' ' +
           microseconds(spacing * (pace.burst - 1));
}

std::optional<limit_rule> read_rule(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::istringstream words{std::string{text}};
    std::string most, count, per, burst;
    words >> most >> count >> per >> burst;
    limit_rule rule;
    if (most != "-") rule.max_running = std::stoi(most);
    if (count != "-") rule.rate = rate_limit{std::stoi(count), duration{std::stoll(per)}, std::stoi(burst)};
    return rule;
}

void add_rule(script_call& call, const std::string& name, const limit_rule& rule) {
    call.own_arg(limit_number(name));
    call.own_arg(name);
    call.own_arg(rule_text(rule));
}

}  // namespace

awaitable<void> shard_store::declare_limits(std::span<const named_limit> limits) {
    if (limits.empty()) co_return;
    script_call call{script_name::limits_set, keys_};
    call.arg(std::string_view{"declare"});
    for (const auto& one : limits) add_rule(call, one.name, one.rule);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

awaitable<void> shard_store::set_limit(const std::string& name, std::optional<limit_rule> rule) {
    script_call call{script_name::limits_set, keys_};
    call.arg(std::string_view{rule ? "set" : "clear"});
    add_rule(call, name, rule.value_or(limit_rule{}));
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

awaitable<std::vector<limit_state>> shard_store::limits() {
    script_call call{script_name::limits_list, keys_};
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    std::vector<limit_state> all;
    while (!in.done()) {
        limit_state one;
        one.name = in.text();
        one.declared = read_rule(in.text());
        one.set = read_rule(in.text());
        one.running = in.number();
        one.waiting = in.number();
        one.opens_at = read_time(in);
        all.push_back(std::move(one));
    }
    std::ranges::sort(all, {}, &limit_state::name);
    co_return all;
}

}  // namespace errand::redis
