#include "runtime/policy_cards.hpp"

#include "core/settings_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <system_error>

namespace errand {

namespace json = boost::json;

namespace {

const policy& usual_policy() {
    static const policy rules{};
    return rules;
}

std::optional<std::int64_t> card_number(const json::object& from, std::string_view member) {
    const auto* value = from.if_contains(member);
    if (!value) return std::nullopt;
    std::error_code none;
    const auto number = value->to_number<std::int64_t>(none);
    return none ? std::nullopt : std::optional{number};
}

std::optional<rate_limit> card_rate(const json::object& from) {
    const auto* value = from.if_contains("rate");
    if (!value || !value->is_array() || value->get_array().size() != 3) return std::nullopt;
    std::array<std::int64_t, 3> parts{};
    for (std::size_t at = 0; at < parts.size(); ++at) {
        std::error_code none;
        parts[at] = value->get_array()[at].to_number<std::int64_t>(none);
        if (none) return std::nullopt;
    }
    return rate_limit{
        .count = static_cast<int>(parts[0]), .per = duration{parts[1]}, .burst = static_cast<int>(parts[2])};
}

handler_settings policy_in(const json::object& from) {
    const auto& usual = usual_policy();
    const auto number = [&](std::string_view member, std::int64_t usually) {
        return card_number(from, member).value_or(usually);
    };
    handler_settings read;
    read.max_retry = static_cast<int>(number("max_retry", usual.max_retry));
    read.timeout = duration{number("timeout", usual.timeout.count())};
    read.priority = static_cast<int>(number("priority", usual.priority));
    read.retention = duration{number("retention", usual.retention.count())};
    if (const auto after = card_number(from, "expires_after")) read.expires_after = duration{*after};
    if (const auto most = card_number(from, "max_running")) read.max_running = static_cast<int>(*most);
    read.rate = card_rate(from);
    const auto* delays = from.if_contains("backoff");
    if (!delays)
        read.backoff = usual.backoff;
    else if (delays->is_string())
        read.backoff = find_backoff(delays->get_string());
    return read;
}

}  // namespace

json::object card_of_policy(const policy& rules) {
    const auto& usual = usual_policy();
    json::object card;
    if (rules.max_retry != usual.max_retry) card["max_retry"] = rules.max_retry;
    if (rules.timeout != usual.timeout) card["timeout"] = rules.timeout.count();
    if (rules.backoff.text() != usual.backoff.text()) card["backoff"] = rules.backoff.text();
    if (rules.priority != usual.priority) card["priority"] = rules.priority;
    if (rules.retention != usual.retention) card["retention"] = rules.retention.count();
    if (rules.expires_after) card["expires_after"] = rules.expires_after->count();
    if (rules.max_running) card["max_running"] = *rules.max_running;
    if (rules.rate) card["rate"] = json::array{rules.rate->count, rules.rate->per.count(), rules.rate->burst};
    return card;
}

handlers_of_card handlers_in(std::string_view card) {
    handlers_of_card read;
    std::error_code not_json;
    const auto value = json::parse(card, not_json);
    if (not_json || !value.is_object()) return read;
    const auto& members = value.get_object();
    read.started = card_number(members, "started").value_or(0);
    const auto* policies = members.if_contains("policies");
    if (!policies || !policies->is_object()) return read;
    for (const auto& [name, one] : policies->get_object()) {
        if (name.empty() || name.front() != policy_mark || !one.is_object()) continue;
        read.policies.emplace_back(std::string{name.substr(1)}, policy_in(one.get_object()));
    }
    return read;
}

}  // namespace errand
