#include "core/line_budget.hpp"

#include <algorithm>
#include <utility>

namespace errand {

namespace {

constexpr std::chrono::minutes span_of_count{1};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// What ids, numbers and times are made of.
bool in_word(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
           c == ':' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string kind_of_line(std::string_view line) {
    std::string kind;
    kind.reserve(line.size());
    while (!line.empty()) {
        const auto length = static_cast<std::size_t>(std::ranges::find_if_not(line, in_word) - line.begin());
        const auto word = line.substr(0, length);
        if (std::ranges::any_of(word, is_digit)) {
            kind += '#';
        } else {
            kind += word;
        }
        line.remove_prefix(length);
        if (line.empty()) break;
        kind += line.front();
        line.remove_prefix(1);
    }
    return kind;
}

bool line_budget::allows(std::string_view line, instant now) {
    auto kind = kind_of_line(line);
    if (kinds_.size() >= most_kinds && !kinds_.contains(kind)) kind.clear();
    auto& counted = kinds_[std::move(kind)];
    if (counted.lines == 0) counted.began = now;
    const bool allowed = ++counted.lines <= most_a_minute;
    if (allowed) counted.example = line;
    return allowed;
}

std::vector<line_budget::left_out> line_budget::over(instant now) {
    std::vector<left_out> told;
    std::erase_if(kinds_, [&](auto& one) {
        auto& [kind, counted] = one;
        if (now - counted.began < span_of_count) return false;
        if (counted.lines > most_a_minute)
            told.push_back({std::move(counted.example), counted.lines - most_a_minute});
        return true;
    });
    return told;
}

std::vector<line_budget::left_out> line_budget::all() { return over(instant::max()); }

}  // namespace errand
