#include "core/named_sql.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::string_view sql_mark = "-- name: ";

}  // namespace

std::string_view without_blank(std::string_view text) {
    const auto from = text.find_first_not_of(" \n");
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(" \n") + 1 - from);
}

std::string without_comments(std::string_view text) {
    std::string left;
    while (!text.empty()) {
        const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        if (!line.starts_with("--")) left += line;
        text.remove_prefix(line.size());
    }
    return std::string{without_blank(left)};
}

std::vector<named_sql> named_sql_in(std::string_view file) {
    std::vector<named_sql> found;
    for (auto at = file.find(sql_mark); at != file.npos;) {
        const auto line = std::min(file.find('\n', at), file.size());
        const auto next = file.find(sql_mark, line);
        found.push_back({without_blank(file.substr(at + sql_mark.size(), line - at - sql_mark.size())),
                         without_blank(file.substr(line, std::min(next, file.size()) - line))});
        at = next;
    }
    return found;
}

}  // namespace errand
