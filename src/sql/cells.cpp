// Values of databases to the types that a program asks for, and back.
#include <errand/detail/sql_row.hpp>
#include <errand/detail/sql_value.hpp>
#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "sql/sql_time.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace errand::detail {
namespace {

constexpr std::size_t most_shown = 40;

struct shown {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(const std::string& value) const {
        return "text \"" + value.substr(0, most_shown) + (value.size() > most_shown ? "…\"" : "\"");
    }
    std::string operator()(const sql::bytes& value) const { return std::to_string(value.size()) + " bytes"; }
};

[[noreturn]] void refuse(const sql_cell& at, const std::string& expected) {
    const auto got = std::visit(shown{}, at.get());
    throw bad_data{"column " + at.in.columns[at.column] + ", row " + std::to_string(at.row + 1) +
                   ": expected " + expected + ", got " + got +
                   (at.get().index() == 0 ? ": read it as std::optional where it may be NULL" : "")};
}

template <class Number>
bool read_all(const std::string& text, Number& into) {
    const auto* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, into);
    return failed == std::errc{} && rest == end;
}

// Decimals and wide numbers come as text.
template <class Number>
bool whole_number(const sql::value& from, Number& into) {
    if (const auto* number = std::get_if<std::int64_t>(&from)) {
        into = static_cast<Number>(*number);
        return std::in_range<Number>(*number);
    }
    if (const auto* flag = std::get_if<bool>(&from)) {
        into = *flag ? 1 : 0;
        return true;
    }
    const auto* text = std::get_if<std::string>(&from);
    return text && read_all(*text, into);
}

bool same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

template <class Names>
std::string listed(const Names& names) {
    std::string all;
    for (const auto& one : names) all += (all.empty() ? "" : ", ") + std::string{one};
    return all.empty() ? "none" : all;
}

}  // namespace

// ---- from columns --------------------------------------------------------------------------------------

bool cell_bool(const sql_cell& at) {
    if (const auto* flag = std::get_if<bool>(&at.get())) return *flag;
    const auto* number = std::get_if<std::int64_t>(&at.get());
    if (!number || (*number != 0 && *number != 1)) refuse(at, "a bool");
    return *number == 1;
}

std::int64_t cell_signed(const sql_cell& at, std::int64_t least, std::int64_t most) {
    std::int64_t number = 0;
    if (!whole_number(at.get(), number)) refuse(at, "a whole number");
    if (number < least || number > most)
        refuse(at, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    return number;
}

std::uint64_t cell_unsigned(const sql_cell& at, std::uint64_t most) {
    std::uint64_t number = 0;
    if (!whole_number(at.get(), number)) refuse(at, "a whole number from 0");
    if (number > most) refuse(at, "a number from 0 to " + std::to_string(most));
    return number;
}

double cell_real(const sql_cell& at) {
    if (const auto* real = std::get_if<double>(&at.get())) return *real;
    if (const auto* number = std::get_if<std::int64_t>(&at.get())) return static_cast<double>(*number);
    double real = 0;
    const auto* text = std::get_if<std::string>(&at.get());
    if (!text || !read_all(*text, real)) refuse(at, "a number");
    return real;
}

std::string cell_text(const sql_cell& at) {
    if (const auto* text = std::get_if<std::string>(&at.get())) return *text;
    refuse(at, "text");
}

sql::bytes cell_bytes(const sql_cell& at) {
    if (const auto* bytes = std::get_if<sql::bytes>(&at.get())) return *bytes;
    refuse(at, "bytes");
}

std::int64_t cell_time(const sql_cell& at) {
    if (const auto* number = std::get_if<std::int64_t>(&at.get())) return *number;
    const auto* text = std::get_if<std::string>(&at.get());
    const auto ms = text ? parse_sql_time(*text) : std::nullopt;
    if (!ms) refuse(at, "a time like 2026-11-21 10:00:00 (UTC) or milliseconds since 1970");
    return *ms;
}

bool names_enumerator(const sql_cell& at) {
    std::int64_t number = 0;
    return std::holds_alternative<std::string>(at.get()) && !whole_number(at.get(), number);
}

std::uint64_t cell_enumerator(const sql_cell& at, std::span<const enumerator> known) {
    const auto name = cell_text(at);
    for (const auto& one : known) {
        if (one.name == name) return one.value;
    }
    std::vector<std::string_view> names;
    for (const auto& one : known) names.push_back(one.name);
    refuse(at, "one of " + listed(names));
}

boost::json::value cell_json(const sql_cell& at) {
    boost::system::error_code failed;
    auto value = boost::json::parse(cell_text(at), failed);
    if (failed) refuse(at, "JSON");
    return value;
}

std::vector<std::size_t> columns_for(const sql::result& in, std::span<const std::string_view> members) {
    std::vector<std::size_t> found;
    for (const auto& member : members) {
        const auto is_it = [&](const std::string& column) { return same_name(column, member); };
        const auto at = std::ranges::find_if(in.columns, is_it);
        if (at == in.columns.end()) break;
        found.push_back(static_cast<std::size_t>(at - in.columns.begin()));
    }
    if (found.size() == members.size()) return found;
    if (in.columns.size() != members.size()) {
        throw bad_data{"the statement returns the columns " + listed(in.columns) +
                       ", which do not fit the members " + listed(members) +
                       ": name the columns like them (AS), or select as many, in their order"};
    }
    found.resize(members.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = i;
    return found;
}

void check_width(const sql::result& in, std::size_t wanted) {
    if (in.columns.size() == wanted) return;
    throw bad_data{"the statement returns " + std::to_string(in.columns.size()) + " columns (" +
                   listed(in.columns) + "), and " + std::to_string(wanted) + " are read"};
}

// ---- to parameters -------------------------------------------------------------------------------------

sql::value unsigned_value(std::uint64_t number) {
    if (!std::in_range<std::int64_t>(number))
        throw bad_data{"a parameter is " + std::to_string(number) +
                       ": databases have integers up to 2^63 - 1"};
    return static_cast<std::int64_t>(number);
}

sql::value time_value(std::int64_t ms_since_1970) { return sql_time_text(ms_since_1970); }

sql::value enumerator_value(std::uint64_t value, std::span<const enumerator> known) {
    for (const auto& one : known) {
        if (one.value == value) return std::string{one.name};
    }
    throw bad_data{"a parameter is " + std::to_string(static_cast<std::int64_t>(value)) +
                   ", which no enumerator of its type has"};
}

sql::value json_value(const boost::json::value& from) { return boost::json::serialize(from); }

}  // namespace errand::detail
