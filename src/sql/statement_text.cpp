#include "sql/statement_text.hpp"

#include <algorithm>
#include <array>

namespace errand::sql {
namespace {

constexpr std::size_t shown = 80;
constexpr std::size_t longest_kept = 8192;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// A comment that begins with a mark is none: the server executes it.
bool is_executed(std::string_view comment) {
    return comment.starts_with("/*!") || comment.starts_with("/*M!");
}

std::string_view behind_comments(std::string_view text) {
    for (;;) {
        while (!text.empty() && (is_space(text.front()) || text.front() == '(')) text.remove_prefix(1);
        const bool line = text.starts_with("--");
        if (!line && (!text.starts_with("/*") || is_executed(text))) return text;
        const auto end = text.find(line ? "\n" : "*/", 2);
        text.remove_prefix(end == text.npos ? text.size() : end + (line ? 1 : 2));
    }
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (!is_space(c)) {
            line.push_back(c);
        } else if (!line.empty() && line.back() != ' ') {
            line.push_back(' ');
        }
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

std::string beginning(std::string_view statement) {
    // White space may be most of it: more than will be shown is read, but never all of a long one.
    auto line = one_line(statement.substr(0, 10 * shown));
    if (line.size() <= shown) return line;
    auto end = shown;
    while (end > 0 && is_continuation(line[end])) --end;
    line.resize(end);
    return line + "…";
}

std::string first_word(std::string_view text) {
    text = behind_comments(text);
    std::string word;
    for (const char c : text) {
        const bool small = c >= 'a' && c <= 'z';
        if (!small && !(c >= 'A' && c <= 'Z')) break;
        word.push_back(small ? static_cast<char>(c - 'a' + 'A') : c);
    }
    return word;
}

bool is_worth_keeping(std::string_view statement) {
    static constexpr std::array<std::string_view, 8> words{"SELECT", "INSERT", "UPDATE", "DELETE",
                                                           "WITH",   "VALUES", "MERGE",  "REPLACE"};
    return statement.size() <= longest_kept && std::ranges::find(words, first_word(statement)) != words.end();
}

}  // namespace errand::sql
