#include "core/limit_rules.hpp"

#include <errand/error.hpp>

#include "core/length_words.hpp"
#include "core/member_check.hpp"
#include "core/rate_gate.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace errand {
namespace {

constexpr std::size_t longest_limit_name = 64;

bool may_stand_in_limit_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"._-:/"}.find(c) != std::string_view::npos;
}

[[noreturn]] void refuse_limit(std::string_view name, const std::string& why) {
    throw usage_error{"limit " + member_check::quote(name) + ": " + why};
}

void check_rule_members(const std::string& whose, const std::optional<int>& max_running,
                        const std::optional<rate_limit>& rate) {
    if (max_running && *max_running < 0) {
        throw usage_error{whose + ".max_running = " + std::to_string(*max_running) + ": must be 0.." +
                          std::to_string(std::numeric_limits<int>::max()) + "; 0 lets none run"};
    }
    if (rate) check_rate(whose + ".rate", *rate, rate->burst);
}

// Levenshtein's distance.
std::size_t changes_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto above = row[j + 1];
            const auto changed = diagonal + (a[i] == b[j] ? 0 : 1);
            row[j + 1] = std::min({above + 1, row[j] + 1, changed});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace

std::string limit_of_handler(std::string_view identity) { return std::string{"handler:"}.append(identity); }

void check_limit_name(std::string_view name) {
    if (name.empty() || name.size() > longest_limit_name ||
        !std::ranges::all_of(name, may_stand_in_limit_name)) {
        refuse_limit(
            name,
            "its name is " + std::to_string(name.size()) +
                " bytes long or has a character that may not stand there: give it 1..64 of A-Z a-z 0-9 . _ "
                "- : /");
    }
    if (name.starts_with("handler:") || name.starts_with("queue:") || name == "namespace") {
        refuse_limit(
            name, "\"handler:…\", \"queue:…\" and \"namespace\" are errand's own names: give it another one");
    }
}

void check_limit_rule(std::string_view name, const limit_rule& rule) {
    check_rule_members("limit " + member_check::quote(name) + ": ", rule.max_running, rule.rate);
}

void check_declared_limit(std::string_view name, const limit_rule& rule) {
    check_limit_name(name);
    if (!rule.max_running && !rule.rate)
        refuse_limit(name, "its rule limits nothing: give it .max_running, .rate or both");
    check_limit_rule(name, rule);
}

void check_limits_of(std::string_view handler, const policy& rules) {
    const member_check check{handler, "policy"};
    check_rule_members("handler " + member_check::quote(handler) + ": policy ", rules.max_running,
                       rules.rate);
    if (rules.limits.size() > most_shared_limits) {
        check.refuse("limits", std::to_string(rules.limits.size()) + " names",
                     "must not be more than " + std::to_string(most_shared_limits));
    }
    for (auto at = rules.limits.begin(); at != rules.limits.end(); ++at) {
        if (std::find(rules.limits.begin(), at, *at) != at)
            check.refuse("limits", member_check::quote(*at), "is named twice: name it once");
    }
}

void check_limits_are_declared(std::string_view handler, const policy& rules,
                               std::span<const std::string> declared) {
    for (const auto& name : rules.limits) {
        if (std::ranges::find(declared, name) != declared.end()) continue;
        const auto nearest = nearest_name(name, declared);
        const auto like =
            nearest.empty() ? std::string{} : "; the nearest is " + member_check::quote(nearest);
        member_check{handler, "policy"}.refuse(
            "limits", member_check::quote(name),
            "no limit of that name is declared" + like + ": write inline const errand::limit …{" +
                member_check::quote(name) + ", {…}} in a header that this program includes");
    }
}

void check_limit_key(std::string_view handler, std::string_view of, std::string_view key) {
    if (key.size() <= max_limit_key_length) return;
    throw usage_error{"handler " + member_check::quote(handler) + ": " + std::string{of} + " gave a key of " +
                      std::to_string(key.size()) + " bytes; the limit is " +
                      std::to_string(max_limit_key_length) + ": give a shorter one, such as a hash of it"};
}

std::string limit_in_words(const limit_rule& rule) {
    std::string text;
    if (rule.max_running) text = std::to_string(*rule.max_running) + " at once";
    if (rule.rate) {
        if (!text.empty()) text += ", ";
        text += std::to_string(rule.rate->count) + " starts in " + length_in_words(rule.rate->per);
        if (rule.rate->burst > 0) text += " in bursts of " + std::to_string(rule.rate->burst);
    }
    return text.empty() ? "nothing" : text;
}

std::string_view nearest_name(std::string_view given, std::span<const std::string> names) {
    std::string_view best;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const auto& name : names) {
        const auto changes = changes_between(given, name);
        if (changes < least) {
            least = changes;
            best = name;
        }
    }
    return best;
}

}  // namespace errand
