#include "cli/quota_views.hpp"

#include <errand/error.hpp>

#include "cli/limit_views.hpp"
#include "cli/text.hpp"
#include "core/rate_text.hpp"
#include "core/whole_number.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace errand::cli {
namespace {

[[noreturn]] void refuse_quota_word(const std::string& word) {
    throw usage_error{
        "\"" + plain(word) +
        "\": expected max_queued=N, submit_rate=N/TIME (500/s, 100/min, 50/30s), burst=N, "
        "max_running=N, max_schedules=N or max_payload=BYTES; nothing behind the = takes one back"};
}

template <class Number>
std::optional<Number> number_in(const std::string& word, std::string_view text) {
    if (text.empty()) return std::nullopt;
    const auto value = whole_number<Number>(text);
    if (!value) refuse_quota_word(word);
    return value;
}

std::optional<rate_limit> rate_in(const std::string& word, std::string_view text) {
    if (text.empty()) return std::nullopt;
    auto rate = read_pace(text);
    if (!rate) refuse_quota_word(word);
    return rate;
}

}  // namespace

std::string quota_text(const quota& rules) {
    std::string text;
    const auto add = [&](std::string_view name, const auto& value) {
        if (value) text += (text.empty() ? "" : " ") + std::string{name} + '=' + std::to_string(*value);
    };
    add("max_queued", rules.max_queued);
    if (rules.submit_rate) {
        text += (text.empty() ? "" : " ") + std::string{"submit_rate="} + pace_text(*rules.submit_rate);
        if (rules.submit_rate->burst > 0) text += " burst=" + std::to_string(rules.submit_rate->burst);
    }
    add("max_running", rules.max_running);
    add("max_schedules", rules.max_schedules);
    add("max_payload", rules.max_payload);
    return text.empty() ? "nothing is limited" : text;
}

quota quota_over(quota seen, const std::vector<std::string>& words) {
    std::optional<int> burst;
    for (const auto& word : words) {
        const auto equals = word.find('=');
        if (equals == word.npos) refuse_quota_word(word);
        const auto name = word.substr(0, equals);
        const auto value = std::string_view{word}.substr(equals + 1);
        if (name == "max_queued") {
            seen.max_queued = number_in<std::int64_t>(word, value);
        } else if (name == "submit_rate") {
            const auto before = seen.submit_rate;
            seen.submit_rate = rate_in(word, value);
            if (before && seen.submit_rate)
                seen.submit_rate->burst = std::min(before->burst, seen.submit_rate->count);
        } else if (name == "burst") {
            burst = number_in<int>(word, value).value_or(0);
        } else if (name == "max_running") {
            seen.max_running = number_in<int>(word, value);
        } else if (name == "max_schedules") {
            seen.max_schedules = number_in<std::int64_t>(word, value);
        } else if (name == "max_payload") {
            seen.max_payload = number_in<std::int64_t>(word, value);
        } else {
            refuse_quota_word(word);
        }
    }
    if (burst && !seen.submit_rate)
        throw usage_error{"burst goes with a rate: say submit_rate=N/TIME as well"};
    if (burst) seen.submit_rate->burst = *burst;
    return seen;
}

}  // namespace errand::cli
