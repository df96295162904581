#include "shelf/statements.hpp"

#include "core/named_sql.hpp"
#include "core/shelf_rules.hpp"

#include <algorithm>
#include <functional>

namespace errand::shelf {
namespace {

std::string repeated(std::string_view what, std::size_t times) {
    std::string all;
    for (std::size_t n = 0; n < times; ++n) all.append(n == 0 ? "" : ",").append(what);
    return all;
}

void replace_all(std::string& in, std::string_view mark, const std::string& by) {
    for (auto at = in.find(mark); at != std::string::npos; at = in.find(mark, at + by.size()))
        in.replace(at, mark.size(), by);
}

std::string numbered(std::string_view text) {
    std::string all;
    std::size_t number = 0;
    for (const char c : text) {
        all += c;
        if (c != '?') continue;
        all.back() = '$';
        all += std::to_string(++number);
    }
    return all;
}

}  // namespace

statements::statements(const sql::dialect& in) : in_{in} {
    for (const auto which : {std::string_view{"all"}, in.name}) {
        const auto file = std::ranges::find(shelf_texts, which, &embedded_text::name);
        for (const auto& [name, text] : named_sql_in(file->text))
            texts_.insert_or_assign(std::string{name}, without_comments(text));
    }
}

std::string statements::filled(std::string_view name, statement_of what) const {
    const auto found = texts_.find(name);
    if (found == texts_.end()) return {};
    auto text = found->second;
    if (const auto place = texts_.find("place"); place != texts_.end())
        replace_all(text, "{place}", place->second);
    replace_all(text, "{space}", std::to_string(space_));
    replace_all(text, "{day}", std::to_string(what.day));
    replace_all(text, "{begin}", std::to_string(begin_of_shelf_day(what.day)));
    replace_all(text, "{ids}", repeated("?", what.ids));
    replace_all(text, "{rows}", repeated("(?,?,?,?)", what.rows));
    replace_all(text, "{triples}", repeated("(?,?,?)", what.rows));
    return text;
}

std::string statements::text(std::string_view name, statement_of what) const {
    auto text = filled(name, what);
    return in_.numbered ? numbered(text) : text;
}

std::string statements::of_all(std::string_view name, std::span<const std::int64_t> days,
                               std::size_t ids) const {
    std::string all;
    for (const auto day : days) {
        if (!all.empty()) all += " UNION ALL ";
        all += filled(name, {.day = day, .ids = ids});
    }
    return in_.numbered ? numbered(all) : all;
}

}  // namespace errand::shelf
