#include "core/config_text.hpp"

#include <errand/error.hpp>

#include "core/limit_rules.hpp"
#include "core/metrics_address.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/pfr/core.hpp>
#include <boost/pfr/core_name.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <type_traits>

namespace errand {

namespace json = boost::json;

namespace {

[[noreturn]] void refuse(const std::string& where, std::string_view value, const std::string& wanted) {
    throw usage_error{where + ": expected " + wanted + ", got \"" + std::string{value} + "\""};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
    Number value{};
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<bool> parse_switch(std::string_view text) noexcept {
    if (text == "1" || text == "true" || text == "yes" || text == "on") return true;
    if (text == "0" || text == "false" || text == "no" || text == "off") return false;
    return std::nullopt;
}

void set(std::string& member, std::string_view text, const std::string&) { member = text; }

void set(bool& member, std::string_view text, const std::string& where) {
    const auto value = parse_switch(text);
    if (!value) refuse(where, text, "true or false");
    member = *value;
}

void set(std::size_t& member, std::string_view text, const std::string& where) {
    const auto value = parse_number<std::size_t>(text);
    if (!value) refuse(where, text, "a whole number");
    member = *value;
}

void set(duration& member, std::string_view text, const std::string& where) {
    const auto value = parse_duration(text);
    if (!value) refuse(where, text, "a duration with its unit, such as 30s, 500ms, 2m, 1h or 7d");
    member = *value;
}

void set(std::map<std::string, int>& member, std::string_view text, const std::string& where) {
    member = parse_weights(text, where);
}

std::map<std::string, int> weights_of(const json::object& from, const std::string& where) {
    std::map<std::string, int> weights;
    for (const auto& [name, weight] : from) {
        boost::system::error_code ec;
        const int value = weight.to_number<int>(ec);
        if (ec) refuse(where + "." + std::string{name}, json::serialize(weight), "a weight (a whole number)");
        weights[std::string{name}] = value;
    }
    return weights;
}

// JSON's own types go through the text form, so that a value means the same in file and environment.
template <class Member>
void set_json(Member& member, const json::value& from, const std::string& where) {
    if constexpr (std::is_same_v<Member, std::map<std::string, int>>) {
        if (const auto* object = from.if_object()) {
            member = weights_of(*object, where);
            return;
        }
    }
    if (const auto* text = from.if_string()) {
        set(member, std::string_view{*text}, where);
    } else if (from.is_number() || from.is_bool()) {
        set(member, json::serialize(from), where);
    } else {
        refuse(where, json::serialize(from), "a string, a number or true/false");
    }
}

std::string variable_of(std::string_view member) {
    std::string name = "ERRAND_";
    for (const char c : member) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

void check(bool holds, const std::string& sentence) {
    if (!holds) throw usage_error{"config." + sentence};
}

void check_name_space(const std::string& name, const std::string& member) {
    check(!name.empty() && name.size() <= 255, member + ": 1 to 255 bytes");
    check(name.find_first_of("{}") == std::string::npos, member + ": must not contain { or }");
}

void check_weight_of(const std::string& name, int weight, const std::string& member) {
    check(weight >= 1 && weight <= 1000,
          member + ": the weight of \"" + name + "\" must be 1 to 1000, got " + std::to_string(weight));
}

}  // namespace

std::optional<duration> parse_duration(std::string_view text) noexcept {
    struct unit {
        std::string_view name;
        std::int64_t ms;
    };
    constexpr std::array<unit, 5> units{
        {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
    const auto digits =
        static_cast<std::size_t>(std::ranges::find_if_not(text, [](char c) { return c >= '0' && c <= '9'; }) -
                                 text.begin());
    const auto count = parse_number<std::int64_t>(text.substr(0, digits));
    const auto found = std::ranges::find(units, text.substr(digits), &unit::name);
    if (!count || found == units.end() || *count > INT64_MAX / found->ms) return std::nullopt;
    return duration{*count * found->ms};
}

std::map<std::string, int> parse_weights(std::string_view text, const std::string& where) {
    std::map<std::string, int> weights;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto item = trimmed(text.substr(0, comma));
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        const auto colon = item.rfind(':');
        const auto name = trimmed(item.substr(0, colon));
        const auto weight = colon == std::string_view::npos
                                ? std::optional{1}
                                : parse_number<int>(trimmed(item.substr(colon + 1)));
        if (name.empty() || !weight) refuse(where, item, "name:weight, for example mail:3");
        if (!weights.emplace(name, *weight).second) refuse(where, item, "each name once");
    }
    return weights;
}

void apply_variables(config& to, const std::function<std::optional<std::string>(const std::string&)>& look) {
    boost::pfr::for_each_field_with_name(to, [&](std::string_view name, auto& member) {
        const auto variable = variable_of(name);
        if (const auto text = look(variable)) set(member, *text, variable);
    });
}

std::vector<std::string> unknown_variables(std::span<const std::string> names) {
    std::vector<std::string> known{"ERRAND_CONFIG", "ERRAND_LOG_FORMAT", "ERRAND_STACKS"};
    boost::pfr::for_each_field_with_name(config{}, [&](std::string_view name, const auto&) {
        known.push_back(variable_of(name));
    });
    std::vector<std::string> sentences;
    for (const auto& name : names) {
        if (!name.starts_with("ERRAND_") || std::ranges::find(known, name) != known.end()) continue;
        sentences.push_back("the variable " + name + " means nothing here; the nearest that does is " +
                            std::string{nearest_name(name, known)});
    }
    return sentences;
}

void apply_json(config& to, std::string_view text, const std::string& file) {
    boost::system::error_code ec;
    const auto root = json::parse(text, ec);
    if (ec) throw usage_error{"ERRAND_CONFIG: " + file + " is not JSON: " + ec.message()};
    if (!root.is_object()) throw usage_error{"ERRAND_CONFIG: " + file + " must hold one JSON object"};
    for (const auto& given : root.get_object()) {
        bool known = false;
        boost::pfr::for_each_field_with_name(to, [&](std::string_view name, auto& member) {
            if (name != given.key()) return;
            known = true;
            // What does not fit is shown below, and these are secret.
            if (name == "encryption_keys" && !given.value().is_string()) {
                throw usage_error{file + ": encryption_keys: expected a string with the keys, or with the "
                                         "path of their file"};
            }
            set_json(member, given.value(), file + ": " + std::string{name});
        });
        if (!known) {
            throw usage_error{"ERRAND_CONFIG: " + file + ": unknown member \"" + std::string{given.key()} +
                              "\""};
        }
    }
}

void check_config(const config& c) {
    constexpr duration longest = std::chrono::days{365};
    check_name_space(c.name_space, "name_space");
    check(c.name_spaces.size() <= 1000, "name_spaces: at most 1000");
    for (const auto& [name, weight] : c.name_spaces) {
        check_name_space(name, "name_spaces");
        check_weight_of(name, weight, "name_spaces");
    }
    for (const auto& [name, weight] : c.queues) {
        check(!name.empty() && name.size() <= 255, "queues: a name has 1 to 255 bytes");
        check_weight_of(name, weight, "queues");
    }
    check(c.shards <= 256, "shards: at most 256");
    check(c.concurrency >= 1 && c.concurrency <= 100'000, "concurrency: 1 to 100000");
    check(c.threads >= 1 && c.threads <= 1024, "threads: 1 to 1024");
    check(c.threads <= c.concurrency, "threads: not more than concurrency");
    check(c.blocking_threads <= 1024, "blocking_threads: at most 1024");
    check(c.lease >= std::chrono::milliseconds{300} && c.lease <= longest, "lease: 300ms to 365d");
    check(c.shutdown_grace >= duration{0} && c.shutdown_grace <= longest, "shutdown_grace: 0s to 365d");
    check(c.store_timeout >= std::chrono::milliseconds{100} && c.store_timeout <= longest,
          "store_timeout: 100ms to 365d");
    // Redis closes a connection that is subscribed, as workers' are, when a reply outgrows its output buffer.
    check(c.max_payload >= 64 && c.max_payload <= std::size_t{16} * 1024 * 1024,
          "max_payload: 64 bytes to 16 MiB");
    check(c.trace_join_within >= duration{0} && c.trace_join_within <= longest,
          "trace_join_within: 0s to 365d");
    check(c.max_history >= 1, "max_history: at least 1");
    check(c.shelf_ahead >= std::chrono::seconds{1} && c.shelf_ahead <= std::chrono::days{30},
          "shelf_ahead: 1s to 30d");
    check(c.metrics.empty() || parse_metrics_address(c.metrics),
          "metrics: expected an address and a port, such as :9464, 127.0.0.1:9464 or [::1]:9464; got \"" +
              c.metrics + "\"");
    constexpr std::array<std::string_view, 7> levels{"trace", "debug",    "info", "warn",
                                                     "error", "critical", "off"};
    check(std::ranges::find(levels, c.log_level) != levels.end(),
          "log_level: trace, debug, info, warn, error, critical or off; got \"" + c.log_level + "\"");
}

}  // namespace errand
