#include "service/refusal.hpp"
#include "service/route.hpp"
#include "service/target.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace errand::web {
namespace {

// A part of a route's path: "tasks", "{id}" or "{id}:cancel".
struct pattern_part {
    std::string_view name;  // empty: literal
    std::string_view text;  // the literal, or the verb with its colon
};

pattern_part read_part(std::string_view part) {
    if (!part.starts_with('{')) return {{}, part};
    const auto end = part.find('}');
    return {part.substr(1, end - 1), part.substr(end + 1)};
}

bool fits(const pattern_part& pattern, std::string_view part) {
    if (pattern.name.empty()) return part == pattern.text;
    return part.size() > pattern.text.size() && part.ends_with(pattern.text);
}

using split_pattern = std::vector<pattern_part>;

// Of a table: each request is held against all of it.
const std::vector<split_pattern>& patterns_of(std::span<const route> all) {
    thread_local std::map<const route*, std::vector<split_pattern>> known;
    auto& patterns = known[all.data()];
    if (!patterns.empty()) return patterns;
    std::vector<split_pattern> made;
    for (const auto& one : all) {
        auto& pattern = made.emplace_back();
        for (const auto part : parts_of(one.path)) pattern.push_back(read_part(part));
    }
    patterns = std::move(made);
    return patterns;
}

// The larger, the more is said by the pattern itself. Nullopt: the path is another.
std::optional<std::size_t> closeness(const split_pattern& pattern,
                                     const std::vector<std::string_view>& parts) {
    if (pattern.size() != parts.size()) return std::nullopt;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!fits(pattern[i], parts[i])) return std::nullopt;
        sum += pattern[i].text.size();
    }
    return sum;
}

bool serves(const route& one, std::string_view method) {
    return one.method == method || (method == "HEAD" && one.method == "GET");
}

refusal wrong_method(std::span<const route> all, std::string_view pattern) {
    std::string allowed;
    for (const auto& one : all) {
        if (one.path != pattern) continue;
        allowed += (allowed.empty() ? "" : ", ") + std::string{one.method};
        if (one.method == "GET") allowed += ", HEAD";
    }
    refusal why{405, "method_not_allowed", "here one can " + allowed};
    why.headers.push_back({"Allow", allowed});
    return why;
}

}  // namespace

std::string_view to_string(scope what) noexcept {
    switch (what) {
    case scope::open: return "open";
    case scope::view: return "view";
    case scope::submit: return "submit";
    case scope::work: return "work";
    case scope::operate: return "operate";
    case scope::admin: return "admin";
    }
    return "?";
}

bool has_path(std::span<const route> all, std::string_view path) {
    const auto parts = parts_of(path);
    return std::ranges::any_of(patterns_of(all),
                               [&](const split_pattern& one) { return closeness(one, parts).has_value(); });
}

found_route route_of(std::span<const route> all, std::string_view method, std::string_view path) {
    const auto parts = parts_of(path);
    std::string_view pattern;
    std::size_t best = 0;
    const auto& patterns = patterns_of(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto close = closeness(patterns[i], parts);
        if (!close || (!pattern.empty() && *close <= best)) continue;
        pattern = all[i].path;
        best = *close;
    }
    if (pattern.empty()) throw not_found("there is nothing at this path; /openapi.json says what there is");
    const auto at = std::ranges::find_if(all, [&](const route& one) {
        return one.path == pattern && serves(one, method);
    });
    if (at == all.end()) throw wrong_method(all, pattern);
    found_route found{.of = &*at};
    const auto wanted = parts_of(pattern);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto one = read_part(wanted[i]);
        if (one.name.empty()) continue;
        auto value = percent_decoded(parts[i].substr(0, parts[i].size() - one.text.size()));
        if (!value) throw bad_request("the path cannot be decoded: %XX are bytes of UTF-8", "path");
        found.path.emplace(one.name, std::move(*value));
    }
    return found;
}

}  // namespace errand::web
