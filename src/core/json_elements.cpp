#include "core/json_elements.hpp"

#include <errand/error.hpp>

#include <cstddef>

namespace errand {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
    const auto from = text.find_first_not_of(blanks);
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

// Behind the string that begins here.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return at;
}

}  // namespace

std::vector<std::string_view> json_elements(std::string_view array) {
    array = without_blanks(array);
    if (array.size() < 2 || array.front() != '[' || array.back() != ']')
        throw bad_data{"a JSON array was expected"};
    const auto inside = array.substr(1, array.size() - 2);
    std::vector<std::string_view> found;
    if (without_blanks(inside).empty()) return found;
    std::size_t from = 0;
    int depth = 0;
    for (std::size_t at = 0; at < inside.size(); ++at) {
        const char c = inside[at];
        if (c == '"') {
            at = end_of_string(inside, at);
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == ',' && depth == 0) {
            found.push_back(without_blanks(inside.substr(from, at - from)));
            from = at + 1;
        }
    }
    found.push_back(without_blanks(inside.substr(from)));
    return found;
}

}  // namespace errand
