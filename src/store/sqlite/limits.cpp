#include "store/sqlite/limits.hpp"

#include "store/sqlite/rule_text.hpp"

namespace errand::sqlite {
namespace {

std::string places_from(std::string_view number) { return std::string{number} + std::string(8, '\0'); }
std::string places_to(std::string_view number) { return std::string{number} + std::string(8, '\xff'); }

}  // namespace

std::string limits::in_force(std::string_view number) {
    auto rows = sql_.limit_behind(tx_.ns(), number);
    return rows.next() ? std::string{rows.bytes(rows.is_null(2) ? 1 : 2)} : std::string{};
}

void limits::declare(std::span<const named_limit> all) {
    for (const auto& [name, rule] : all) {
        const auto number = limit_number(name);
        const auto declared = text_of_rule(rule, gates_.how());
        {
            auto rows = sql_.limit_behind(tx_.ns(), std::string_view{number});
            if (rows.next() && rows.bytes(1) == declared) continue;
        }
        const auto before = in_force(number);
        sql_.declare_limit.run(tx_.ns(), std::string_view{number}, text{name}, text{declared});
        keep_starts(number, before, in_force(number));
        groups_.limit_changed(number);
    }
}

void limits::set(std::string_view name, const std::optional<limit_rule>& rule) {
    const auto number = limit_number(name);
    const auto before = in_force(number);
    if (rule) {
        const auto chosen = text_of_rule(*rule, gates_.how());
        sql_.choose_limit.run(tx_.ns(), std::string_view{number}, text{name}, text{chosen});
    } else {
        sql_.unset_limit.run(tx_.ns(), std::string_view{number});
        sql_.drop_unknown_limit.run(tx_.ns(), std::string_view{number});
    }
    keep_starts(number, before, in_force(number));
    groups_.limit_changed(number);
}

void limits::keep_starts(std::string_view number, std::string_view before, std::string_view after) {
    if (before == after || before.empty() || after.empty()) return;
    const auto from_rule = rule_in(before), to_rule = rule_in(after);
    if (!from_rule.rate || !to_rule.rate) return;
    const auto change = change_of(pace_of_gate(*from_rule.rate, arrival_in(before)),
                                  pace_of_gate(*to_rule.rate, arrival_in(after)), gates_.nanos());
    const auto from = places_from(number), to = places_to(number);
    sql_.change_kept.run(tx_.ns(), std::string_view{from}, std::string_view{to}, gates_.nanos(), change.grown,
                         change.latest);
}

std::vector<limit_state> limits::list() {
    std::vector<limit_state> all;
    std::vector<std::string> numbers, in_force;
    for (auto rows = sql_.all_limits(tx_.ns(), tx_.now()); rows.next();) {
        limit_state one{.name = std::string{rows.bytes(0)}};
        if (!rows.is_null(1)) one.declared = rule_in(rows.bytes(1));
        if (!rows.is_null(2)) one.set = rule_in(rows.bytes(2));
        in_force.emplace_back(rows.bytes(rows.is_null(2) ? 1 : 2));
        numbers.emplace_back(rows.bytes(3));
        one.throttled = duration{rows.number(4)};
        all.push_back(std::move(one));
    }
    for (std::size_t at = 0; at < all.size(); ++at) {
        auto& one = all[at];
        const std::string_view number{numbers[at]};
        {
            const auto from = places_from(number), to = places_to(number);
            auto rows = sql_.running_under(tx_.ns(), std::string_view{from}, std::string_view{to});
            if (rows.next()) one.running = rows.number(0) - gates_.in_line(from, to);
        }
        one.waiting = groups_.waiting_for(number);
        one.opens_at = opening_of(in_force[at], number);
    }
    return all;
}

std::optional<time_point> limits::opening_of(std::string_view rule_text, std::string_view number) {
    const auto rule = rule_in(rule_text);
    if (!rule.rate) return std::nullopt;
    const auto how = arrival_in(rule_text);
    const auto tolerance = pace_of_gate(*rule.rate, how).tolerance;
    const auto from = places_from(number), to = places_to(number);
    auto rows =
        sql_.kept_after(tx_.ns(), std::string_view{from}, std::string_view{to}, gates_.nanos() + tolerance);
    if (!rows.next() || rows.is_null(0)) return std::nullopt;
    gate_state state{.running = 0, .kept = rows.number(0)};
    settle_gate(gate_kind::starts, rule, state, gates_.nanos(), how);  // as the next look will
    return time_point{duration{(state.kept - tolerance + 999'999) / 1'000'000}};
}

}  // namespace errand::sqlite
