#include "cli/settings_text.hpp"

#include <errand/error.hpp>

#include "cli/limit_views.hpp"
#include "cli/options.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"
#include "core/rate_text.hpp"
#include "core/settings_text.hpp"
#include "core/whole_number.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace errand::cli {

namespace {

constexpr std::array<std::string_view, 11> settings_keys{
    "max_retry",   "timeout", "backoff", "priority", "retention", "expires_after",
    "max_running", "rate",    "batch",   "interval", "paused"};

// How many characters have to be put in, left out or changed.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto before = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto changed = before + (a[i - 1] == b[j - 1] ? 0 : 1);
            before = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

int need_number(const settings_change& change) {
    if (const auto value = whole_number<int>(change.value)) return *value;
    throw usage_error{change.key + ": \"" + change.value + "\" is no whole number; write one, such as 3"};
}

bool need_flag(const settings_change& change) {
    if (change.value == "true" || change.value == "false") return change.value == "true";
    throw usage_error{change.key + ": \"" + change.value + "\" is neither true nor false"};
}

backoff need_backoff(const settings_change& change) {
    if (auto found = find_backoff(change.value)) return std::move(*found);
    throw usage_error{
        change.key + ": \"" + change.value +
        "\" is no backoff; write polynomial, exponential:10s:1h (first and longest) or uniform:30s"};
}

// "10/s", or "10/s:5": five of them at one instant.
rate_limit need_rate(const settings_change& change) {
    const auto colon = change.value.find(':');
    auto rate = read_pace(std::string_view{change.value}.substr(0, colon));
    if (rate && colon != change.value.npos) {
        const auto burst = whole_number<std::int64_t>(std::string_view{change.value}.substr(colon + 1));
        if (burst && *burst > 0 && std::in_range<int>(*burst))
            rate->burst = static_cast<int>(*burst);
        else
            rate.reset();
    }
    if (rate) return *rate;
    throw usage_error{
        change.key + ": \"" + change.value +
        "\" is no rate; write starts and a time, such as 10/s, 100/min, 50/30s, or 10/s:5, which lets "
        "five of them start at one instant"};
}

std::string rate_word(const rate_limit& rate) {
    return pace_text(rate) + (rate.burst > 0 ? ':' + std::to_string(rate.burst) : std::string{});
}

// "30s", as it is read.
std::string length_word(duration length) {
    return backoff::uniform(length).text().substr(std::string_view{"uniform:"}.size());
}

std::optional<std::string> text_of_settings(const handler_settings& set, std::string_view key) {
    const auto length = [](const std::optional<duration>& value) {
        return value ? std::optional{length_word(*value)} : std::nullopt;
    };
    const auto number = [](const std::optional<int>& value) {
        return value ? std::optional{std::to_string(*value)} : std::nullopt;
    };
    if (key == "max_retry") return number(set.max_retry);
    if (key == "timeout") return length(set.timeout);
    if (key == "backoff") return set.backoff ? std::optional{set.backoff->text()} : std::nullopt;
    if (key == "priority") return number(set.priority);
    if (key == "retention") return length(set.retention);
    if (key == "expires_after") return length(set.expires_after);
    if (key == "max_running") return number(set.max_running);
    if (key == "rate") return set.rate ? std::optional{rate_word(*set.rate)} : std::nullopt;
    if (key == "batch") return number(set.batch);
    if (key == "interval") return length(set.interval);
    return set.paused ? std::optional<std::string>{"true"} : std::nullopt;
}

// Of what few handlers have only where one has it.
std::vector<std::string_view> keys_to_show(const std::vector<handler_info>& all) {
    constexpr std::array<std::string_view, 4> rare{"max_running", "rate", "batch", "interval"};
    std::vector<std::string_view> keys;
    for (const auto key : settings_keys) {
        const auto has_it = [&](const handler_info& one) {
            return text_of_settings(one.set.settings, key) ||
                   (one.in_force && text_of_settings(*one.in_force, key));
        };
        if (std::ranges::find(rare, key) == rare.end() || std::ranges::any_of(all, has_it))
            keys.push_back(key);
    }
    return keys;
}

}  // namespace

settings_change need_settings_change(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == text.npos)
        throw usage_error{"\"" + text + "\" is no setting; write key=value, or key= to take it back"};
    settings_change change{.key = text.substr(0, equals), .value = text.substr(equals + 1)};
    if (std::ranges::find(settings_keys, change.key) != settings_keys.end()) return change;
    const auto nearest = std::ranges::min_element(settings_keys, {}, [&](std::string_view key) {
        return edit_distance(change.key, key);
    });
    const bool near = edit_distance(change.key, *nearest) <= 3;
    throw usage_error{"\"" + change.key + "\" can not be set; " +
                      (near ? "did you mean " + std::string{*nearest} + "?"
                            : "what can be is " + joined(settings_keys, ", "))};
}

void apply(handler_settings& to, const settings_change& change) {
    const bool gone = change.value.empty();
    const auto number = [&] { return gone ? std::nullopt : std::optional{need_number(change)}; };
    const auto length = [&] {
        return gone ? std::nullopt : std::optional{need_length(change.key, change.value)};
    };
    if (change.key == "max_retry") to.max_retry = number();
    if (change.key == "timeout") to.timeout = length();
    if (change.key == "backoff") to.backoff = gone ? std::nullopt : std::optional{need_backoff(change)};
    if (change.key == "priority") to.priority = number();
    if (change.key == "retention") to.retention = length();
    if (change.key == "expires_after") to.expires_after = length();
    if (change.key == "max_running") to.max_running = number();
    if (change.key == "rate") to.rate = gone ? std::nullopt : std::optional{need_rate(change)};
    if (change.key == "batch") to.batch = number();
    if (change.key == "interval") to.interval = length();
    if (change.key == "paused") to.paused = !gone && need_flag(change);
}

std::string settings_line(const handler_settings& set) {
    std::vector<std::string> words;
    for (const auto key : settings_keys) {
        if (const auto value = text_of_settings(set, key)) words.push_back(std::string{key} + '=' + *value);
    }
    return joined(words, " ");
}

table handler_table(const std::vector<handler_info>& all, time_point now) {
    std::vector<column> columns{{.title = "handler", .least = 10}, {.title = "workers", .right = true}};
    const auto keys = keys_to_show(all);
    for (const auto key : keys) columns.push_back({.title = std::string{key}, .right = key != "backoff"});
    columns.push_back({.title = "set by", .least = 8, .drop = 2});
    columns.push_back({.title = "when", .drop = 1});
    table made{std::move(columns)};
    for (const auto& one : all) {
        std::vector<std::string> cells{one.name, std::to_string(one.workers.size())};
        for (const auto key : keys) {
            const auto set = text_of_settings(one.set.settings, key);
            const auto known = one.in_force ? text_of_settings(*one.in_force, key) : std::nullopt;
            // What was set is marked.
            cells.push_back(set ? *set + '*' : known.value_or(""));
        }
        const bool any = one.set.version > 0;
        cells.push_back(any ? one.set.by : "");
        cells.push_back(any ? from_now(one.set.at, now) : "");
        made.add(std::move(cells));
    }
    return made;
}

}  // namespace errand::cli
