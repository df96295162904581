#include "service/json_faults.hpp"

#include "core/json_quote.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace errand::web {
namespace {

// Few are looked through, and many are kept in order.
class seen_names {
public:
    // False: it was there.
    bool add(std::string_view name) {
        if (!many_.empty()) return many_.insert(name).second;
        const auto end = few_.begin() + static_cast<std::ptrdiff_t>(count_);
        if (std::find(few_.begin(), end, name) != end) return false;
        if (count_ < few_.size()) {
            few_[count_++] = name;
            return true;
        }
        many_.insert(few_.begin(), end);
        return many_.insert(name).second;
    }

private:
    std::array<std::string_view, 12> few_{};
    std::size_t count_ = 0;
    std::set<std::string_view> many_{};
};

// An object or an array that is being read.
struct level {
    bool object = false;
    seen_names names{};
    std::string_view name{};  // of the member that is read
    std::size_t index = 0;    // of the element that is read
};

std::string path_of(const std::vector<level>& levels) {
    std::string path;
    for (const auto& one : levels) {
        if (!one.object) {
            path += '[' + std::to_string(one.index) + ']';
        } else {
            if (!path.empty()) path += '.';
            path += one.name;
        }
    }
    return path;
}

// Where the string that begins here ends, behind its quotes.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

// `written_otherwise` keeps those that are not as they stand there.
std::string_view name_in(std::string_view quoted, std::deque<std::string>& written_otherwise) {
    if (quoted.find('\\') == quoted.npos) return quoted.substr(1, quoted.size() - 2);
    // One name may be written in several ways.
    return written_otherwise.emplace_back(boost::json::parse(quoted).as_string());
}

bool over_64_bits(std::string_view number) {
    if (number.find_first_of(".eE") != number.npos) return false;
    std::int64_t negative = 0;
    std::uint64_t positive = 0;
    const auto* begin = number.data();
    const auto* end = begin + number.size();
    const auto error = number.front() == '-' ? std::from_chars(begin, end, negative).ec
                                             : std::from_chars(begin, end, positive).ec;
    return error == std::errc::result_out_of_range;
}

}  // namespace

std::optional<json_fault> fault_of(std::string_view text) {
    constexpr std::string_view of_number = "+-.0123456789eE";
    std::deque<std::string> written_otherwise;
    std::vector<level> levels;
    bool name_follows = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t end = at + 1;
        if (c == '{' || c == '[') {
            levels.push_back({.object = c == '{'});
            name_follows = c == '{';
        } else if (c == '}' || c == ']') {
            levels.pop_back();
            name_follows = false;
        } else if (c == ',') {
            ++levels.back().index;
            name_follows = levels.back().object;
        } else if (c == '"') {
            end = end_of_string(text, at);
            if (name_follows) {
                auto& inside = levels.back();
                inside.name = name_in(text.substr(at, end - at), written_otherwise);
                if (!inside.names.add(inside.name)) {
                    return json_fault{"the member " + detail::quoted_extract(inside.name) + " is given twice",
                                      path_of(levels)};
                }
                name_follows = false;
            }
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            end = std::min(text.find_first_not_of(of_number, at), text.size());
            if (over_64_bits(text.substr(at, end - at)))
                return json_fault{"a whole number has at most 64 bits: send it as a string", path_of(levels)};
        }
        at = end;
    }
    return std::nullopt;
}

}  // namespace errand::web
