// Limits: their rules, as scripts/lib_gates.lua reads them.
#include <errand/error.hpp>

#include "core/gates.hpp"
#include "core/rate_gate.hpp"
#include "core/sha256.hpp"
#include "store/redis/shard_store.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace errand::redis {
namespace {

// Numbers of Lua hold microseconds of this century to a quarter exactly. Rounded up: never a start too many.
constexpr std::int64_t quarter = 250;
std::int64_t quarters_in(std::int64_t nanoseconds) { return (nanoseconds + quarter - 1) / quarter; }
std::string microseconds(std::int64_t quarters) {
    static constexpr std::array<std::string_view, 4> rest{"", ".25", ".5", ".75"};
    return std::to_string(quarters / 4).append(rest[static_cast<std::size_t>(quarters % 4)]);
}

// How many run, starts, in (ms), at once, spacing and tolerance of starts (us).
std::string rule_text(const limit_rule& rule) {
    const auto most = rule.max_running ? std::to_string(*rule.max_running) : "-";
    if (!rule.rate) return most + " - - - - -";
    const auto& rate = *rule.rate;
    const auto pace = pace_of(rate, rate.burst, arrival::late);
    const auto spacing = quarters_in((pace.round + pace.refills - 1) / pace.refills);
    const auto tolerance = pace.burst > 1 ? spacing * (pace.burst - 1) : pace.tolerance / quarter;
    return most + ' ' + std::to_string(rate.count) + ' ' + std::to_string(rate.per.count()) + ' ' +
           std::to_string(rate.burst) + ' ' + microseconds(spacing) + ' ' + microseconds(tolerance);
}

// The same of a share; pace_of_share() says why its spacing and tolerance follow from the whole.
std::string share_text(const limit_rule& share, const limit_rule& whole) {
    const auto most = share.max_running ? std::to_string(*share.max_running) : "-";
    if (!share.rate || !whole.rate) return most + " - - - - -";
    const auto& rate = *share.rate;
    const auto starts = most + ' ' + std::to_string(rate.count) + ' ' + std::to_string(rate.per.count()) +
                        ' ' + std::to_string(rate.burst);
    if (rate.count == 0) return starts + " - -";
    const auto pace = pace_of_share(*whole.rate, rate.count, quarter);
    return starts + ' ' + microseconds(quarters_in(pace.spacing)) + ' ' +
           microseconds(quarters_in(pace.tolerance));
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

void add_rule(script_call& call, const std::string& name, std::string text) {
    call.own_arg(limit_number(name));
    call.own_arg(name);
    call.own_arg(std::move(text));
}

}  // namespace

awaitable<void> shard_store::declare_limits(std::span<const named_limit> limits) {
    if (limits.empty()) co_return;
    script_call call{script_name::limits_set, keys_};
    call.arg(std::string_view{"declare"});
    for (const auto& one : limits) add_rule(call, one.name, rule_text(one.rule));
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

awaitable<void> shard_store::change_limit(std::string what, const std::string& name, std::string rule) {
    script_call call{script_name::limits_set, keys_};
    call.own_arg(std::move(what));
    add_rule(call, name, std::move(rule));
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
}

awaitable<void> shard_store::set_limit(const std::string& name, std::optional<limit_rule> rule) {
    return change_limit(rule ? "set" : "clear", name, rule_text(rule.value_or(limit_rule{})));
}

awaitable<void> shard_store::set_share(const std::string& name, std::uint64_t version,
                                       std::optional<limit_rule> share, limit_rule whole) {
    const bool is_open = !whole.max_running || *whole.max_running > 0;
    const std::string what{!share ? "unshare " : is_open ? "share " : "shut "};
    return change_limit(what + std::to_string(version) + ' ' + asked_server_, name,
                        share_text(share.value_or(limit_rule{}), whole));
}

awaitable<std::vector<limit_state>> shard_store::list_limits(std::span<const std::string> numbers) {
    script_call call{script_name::limits_list, keys_};
    for (const auto& one : numbers) call.arg(std::string_view{one});
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    std::vector<limit_state> all;
    while (!in.done()) {
        limit_state one;
        one.name = in.text();
        one.declared = read_rule(in.text());
        one.set = read_rule(in.text());
        one.running = in.number();
        one.waiting = in.number();
        one.opens_at = read_time(in);
        const auto share = in.text();
        if (!share.empty()) one.share = std::stoull(std::string{share});
        one.in_line = in.number();
        one.throttled = duration{in.number()};
        one.share_is_old = in.number() == 1;
        asked_server_ = in.text();
        one.seen_at = head.now;
        all.push_back(std::move(one));
    }
    co_return all;
}

awaitable<std::vector<limit_state>> shard_store::limits() {
    auto all = co_await list_limits({});
    std::ranges::sort(all, {}, &limit_state::name);
    co_return all;
}

awaitable<std::vector<limit_state>> shard_store::limits_of(std::span<const std::string> names) {
    std::vector<std::string> numbers;
    for (const auto& name : names) numbers.push_back(limit_number(name));
    auto all = co_await list_limits(numbers);
    for (std::size_t at = 0; at < all.size(); ++at) all[at].name = names[at];
    co_return all;
}

awaitable<lent_limits> shard_store::lent(std::string_view worker) {
    script_call call{script_name::limits_lent, keys_};
    call.arg(worker);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    lent_limits all;
    all.others_do_it = in.number() == 1;
    if (!all.others_do_it) record_server_ = in.text();
    while (!in.done()) all.records.emplace_back(in.text());
    co_return all;
}

awaitable<bool> shard_store::lend(const std::string& name, std::uint64_t seen, std::string record) {
    script_call call{script_name::limits_lend, keys_};
    call.own_arg(limit_number(name));
    call.own_arg(seen == 0 ? std::string{} : eight_bytes(seen));
    call.arg(std::string_view{record});
    call.own_arg(record_server_);
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    co_return in.number() == 1;
}

}  // namespace errand::redis
