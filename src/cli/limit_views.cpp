#include "cli/limit_views.hpp"

#include <errand/error.hpp>

#include "cli/text.hpp"
#include "cli/views.hpp"
#include "core/length_words.hpp"
#include "core/rate_text.hpp"
#include "core/whole_number.hpp"

#include <utility>

namespace errand::cli {
namespace {

std::string rate_text(const rate_limit& rate) {
    return pace_text(rate) +
           (rate.burst > 0 ? ", " + std::to_string(rate.burst) + " of them at one instant" : std::string{});
}

[[noreturn]] void refuse_word(const std::string& word) {
    throw usage_error{"\"" + plain(word) +
                      "\": expected max_running=N, rate=N/TIME (10/s, 100/min, 50/30s) or burst=N"};
}

int need_count(const std::string& word, std::string_view text) {
    const auto value = whole_number<std::int64_t>(text);
    if (!value || !std::in_range<int>(*value)) refuse_word(word);
    return static_cast<int>(*value);
}

rate_limit need_rate(const std::string& word, std::string_view text) {
    const auto rate = read_pace(text);
    if (!rate) refuse_word(word);
    return *rate;
}

}  // namespace

std::string pace_text(const rate_limit& rate) {
    std::string per;
    for (const auto& [name, length] : rate_units) {
        if (rate.per == length && per.empty()) per = name;
    }
    if (per.empty()) per = length_text(rate.per);
    return std::to_string(rate.count) + '/' + per;
}

std::string rule_text(const limit_rule& rule) {
    std::string text;
    if (rule.max_running) text = std::to_string(*rule.max_running) + " at once";
    if (rule.rate) text += (text.empty() ? "" : ", ") + rate_text(*rule.rate);
    return text.empty() ? "nothing" : text;
}

limit_rule rule_of(const std::vector<std::string>& words) {
    limit_rule rule;
    std::optional<int> burst;
    for (const auto& word : words) {
        const auto equals = word.find('=');
        if (equals == word.npos) refuse_word(word);
        const auto name = word.substr(0, equals);
        const auto value = std::string_view{word}.substr(equals + 1);
        if (name == "max_running") {
            rule.max_running = need_count(word, value);
        } else if (name == "rate") {
            rule.rate = need_rate(word, value);
        } else if (name == "burst") {
            burst = need_count(word, value);
        } else {
            refuse_word(word);
        }
    }
    if (burst && !rule.rate) throw usage_error{"burst goes with a rate: say rate=N/TIME as well"};
    if (burst) rule.rate->burst = *burst;
    return rule;
}

table limit_table(const std::vector<limit_info>& limits, time_point now) {
    table out{{{.title = "limit", .least = 8},
               {.title = "allows", .least = 8},
               {.title = "running", .right = true},
               {.title = "waiting", .right = true},
               {.title = "opens", .drop = 1},
               {.title = "throttled", .drop = 3},
               {.title = "declared", .least = 8, .drop = 2}}};
    for (const auto& one : limits) {
        const auto opens = one.opens_at && *one.opens_at > now ? from_now(*one.opens_at, now) : std::string{};
        const auto declared = !one.declared ? std::string{"by no worker yet"}
                              : one.set     ? rule_text(*one.declared)
                                            : std::string{};
        const auto throttled = one.throttled.count() > 0 ? length_in_words(one.throttled) : std::string{};
        out.add({one.name, rule_text(one.rule()), std::to_string(one.running), std::to_string(one.waiting),
                 opens, throttled, declared});
    }
    return out;
}

}  // namespace errand::cli
