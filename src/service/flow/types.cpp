#include "service/flow/types.hpp"

#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>
#include <errand/policy.hpp>

#include "core/bytes.hpp"
#include "core/config_text.hpp"
#include "core/json_quote.hpp"
#include "core/random.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace errand::flow {

namespace json = boost::json;

namespace {

constexpr std::string_view record_prefix = "\x01"
                                           "flow:";
constexpr std::uint8_t first_format = 1, second_format = 2;

// "exponential:1s:10s" as its parts.
std::vector<std::string_view> parts_of_backoff(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find(':', from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

json::object json_of_backoff(const backoff& rule) {
    const auto parts = parts_of_backoff(rule.text());
    const auto ms = [&](std::size_t at) { return parse_duration(parts[at]).value_or(duration{0}).count(); };
    if (parts.front() == "exponential" && parts.size() == 3)
        return {{"kind", "progressive"}, {"first_ms", ms(1)}, {"cap_ms", ms(2)}};
    if (parts.front() == "uniform" && parts.size() == 2) return {{"kind", "uniform"}, {"first_ms", ms(1)}};
    return {{"kind", "polynomial"}};
}

}  // namespace

bool flow_type::has_stage(std::string_view stage) const {
    return rules.stages.empty() || std::ranges::find(rules.stages, stage) != rules.stages.end();
}

bool is_name(std::string_view text) noexcept {
    constexpr std::size_t longest = 128;
    return !text.empty() && text.size() <= longest && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.';
    });
}

void check_name(const std::string& text, std::string_view what, const std::string& path) {
    if (is_name(text)) return;
    throw web::bad_request("the name of a " + std::string{what} +
                               " has 1 to 128 of A-Z, a-z, 0-9, \"-\", \"_\" and \".\"",
                           path);
}

std::string record_name(std::string_view type) { return std::string{record_prefix} + std::string{type}; }

std::optional<std::string> type_of_record(std::string_view name) {
    if (!name.starts_with(record_prefix)) return std::nullopt;
    return std::string{name.substr(record_prefix.size())};
}

std::string encode_rules(const flow_rules& rules, std::uint64_t stamp) {
    const bool short_log = rules.log_runs < flow_notes::most_runs;
    std::string bytes;
    byte_writer out{bytes};
    out.fixed(stamp, 8);
    // Services that know the first format alone read what says nothing of the second.
    out.u8(short_log ? second_format : first_format);
    out.signed_number(rules.version);
    out.signed_number(rules.batch);
    out.signed_number(rules.interval.count());
    out.signed_number(rules.lease.count());
    out.u8(rules.retries_per_stage ? 1 : 0);
    out.number(rules.max_content);
    out.number(rules.stages.size());
    for (const auto& one : rules.stages) out.text(one);
    if (short_log) out.number(rules.log_runs);
    return bytes;
}

flow_rules decode_rules(std::string_view record) {
    byte_reader in{record, "type of flow tasks"};
    in.fixed(8);
    const auto format = in.u8();
    if (format != first_format && format != second_format)
        in.fail("has a format that this version of errand does not know");
    flow_rules rules;
    rules.version = in.signed_number();
    rules.batch = in.signed_number();
    rules.interval = duration{in.signed_number()};
    rules.lease = duration{in.signed_number()};
    rules.retries_per_stage = in.u8() != 0;
    rules.max_content = in.number();
    for (auto left = in.number(); left > 0; --left) rules.stages.emplace_back(in.text());
    if (format == second_format) rules.log_runs = in.number();
    return rules;
}

// ---- as this process has heard ----

namespace {

flow_type type_of(const detail::app_core& app, std::string name, std::string_view record) {
    flow_type one;
    one.rules = decode_rules(record);
    if (const auto set = app.overrides.of(name)) one.tries = *set;
    one.name = std::move(name);
    return one;
}

}  // namespace

std::optional<flow_type> find_type(const detail::app_core& app, const std::string& name) {
    const auto all = app.overrides.others();
    const auto at = all->find(record_name(name));
    if (at == all->end() || at->second.empty()) return std::nullopt;
    return type_of(app, name, at->second);
}

flow_type need_type(const detail::app_core& app, const std::string& name) {
    auto found = is_name(name) ? find_type(app, name) : std::nullopt;
    if (!found) throw web::not_found("there is no such type; PUT one first");
    return std::move(*found);
}

std::vector<flow_type> all_types(const detail::app_core& app) {
    std::vector<flow_type> types;
    for (const auto& [name, record] : *app.overrides.others()) {
        const auto type = type_of_record(name);
        if (type && !record.empty()) types.push_back(type_of(app, *type, record));
    }
    return types;
}

// ---- changing ----

awaitable<stored_type> read_type(detail::app_core& app, loop& home, std::string name) {
    co_await home.ready();
    stored_type seen;
    const auto record = co_await home.tasks().find_settings(record_name(name));
    if (!record.empty()) {
        seen.stamp = byte_reader{record, "type of flow tasks"}.fixed(8);
        seen.rules = decode_rules(record);
    }
    auto set = co_await detail::find_settings(app, std::move(name));
    seen.tries = std::move(set.settings);
    seen.tries_version = set.version;
    co_return seen;
}

awaitable<bool> write_type(detail::app_core& app, loop& home, std::string name, const stored_type& seen,
                           std::optional<flow_rules> rules, handler_settings tries) {
    // How its tasks are tried is there before there are any.
    try {
        co_await detail::configure_handler(app, name, std::move(tries),
                                           {.version = seen.tries_version, .by = "flow"});
    } catch (const settings_conflict&) {
        co_return false;
    }
    settings_step step{.handler = record_name(name), .seen = seen.stamp, .record = {}};
    if (rules) {
        rules->version = (seen.rules ? seen.rules->version : 0) + 1;
        step.record = encode_rules(*rules, random_bits() | 1U);
    }
    const bool made = co_await home.tasks().set_settings(std::move(step));
    co_await home.learn_settings();
    co_return made;
}

json::object json_of(const flow_type& of) {
    const auto& rules = of.rules;
    const auto& tries = of.tries;
    const policy usual;
    const auto length = [](const std::optional<duration>& one) {
        return one && *one > duration{0} ? json::value{one->count()} : json::value{};
    };
    return {{"name", of.name},
            {"batch", rules.batch},
            {"interval_ms", rules.interval.count()},
            {"lease_ms", rules.lease.count()},
            {"max_retry", tries.max_retry.value_or(usual.max_retry)},
            {"backoff", json_of_backoff(tries.backoff.value_or(usual.backoff))},
            {"retry_scope", rules.retries_per_stage ? "stage" : "task"},
            {"priority", tries.priority.value_or(usual.priority)},
            {"retention_ms", tries.retention.value_or(usual.retention).count()},
            {"expires_after_ms", length(tries.expires_after)},
            {"max_content", rules.max_content},
            {"log_runs", rules.log_runs},
            {"stages", json::array(rules.stages.begin(), rules.stages.end())},
            {"max_running", tries.max_running ? json::value{*tries.max_running} : json::value{}},
            {"rate", json_of(tries.rate)},
            {"paused", tries.paused},
            {"version", rules.version}};
}

}  // namespace errand::flow
