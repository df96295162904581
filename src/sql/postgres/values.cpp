#include "sql/postgres/values.hpp"

#include <errand/error.hpp>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

namespace errand::postgres {
namespace {

// The numbers by which PostgreSQL knows its built-in types; they never change.
constexpr Oid type_unknown = 0;
constexpr Oid type_bool = 16;
constexpr Oid type_bytea = 17;
constexpr Oid type_int8 = 20;
constexpr Oid type_int2 = 21;
constexpr Oid type_int4 = 23;
constexpr Oid type_float4 = 700;
constexpr Oid type_float8 = 701;

template <class Number>
std::string digits_of(Number number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

template <class Number>
sql::value number(std::string_view text) {
    Number value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

sql::bytes bytes_of(const char* text) {
    struct freed {
        void operator()(unsigned char* one) const noexcept { PQfreemem(one); }
    };
    std::size_t size = 0;
    const void* shown = text;
    const std::unique_ptr<unsigned char, freed> plain{
        PQunescapeBytea(static_cast<const unsigned char*>(shown), &size)};
    if (!plain) throw std::bad_alloc{};
    const void* start = plain.get();
    const auto* first = static_cast<const std::byte*>(start);
    return {first, first + size};
}

sql::value value_of(const PGresult* from, int row, int column, Oid type) {
    if (PQgetisnull(from, row, column)) return std::monostate{};
    const char* start = PQgetvalue(from, row, column);
    const std::string_view text{start, static_cast<std::size_t>(PQgetlength(from, row, column))};
    switch (type) {
    case type_bool: return text == "t";
    case type_int2:
    case type_int4:
    case type_int8: return number<std::int64_t>(text);
    case type_float4:
    case type_float8: return number<double>(text);
    case type_bytea: return bytes_of(start);
    default: return std::string{text};
    }
}

// SELECT counts the rows it returns, which is no change.
std::uint64_t changed(const PGresult* from) {
    // The command's tag and the number at its end; libpq takes the result as writable for no reason.
    auto* result = const_cast<PGresult*>(from);
    const std::string_view tag{PQcmdStatus(result)};
    for (const std::string_view word : {"INSERT", "UPDATE", "DELETE", "MERGE"}) {
        if (!tag.starts_with(word)) continue;
        const std::string_view count{PQcmdTuples(result)};
        std::uint64_t rows = 0;
        std::from_chars(count.data(), count.data() + count.size(), rows);
        return rows;
    }
    return 0;
}

}  // namespace

// ---- to the server -------------------------------------------------------------------------------------

parameters::parameters(const std::vector<sql::value>& values) {
    digits_.reserve(values.size());  // what is pointed to stays where it is
    types_.reserve(values.size());
    values_.reserve(values.size());
    lengths_.reserve(values.size());
    formats_.reserve(values.size());
    for (const auto& one : values) {
        if (const auto* truth = std::get_if<bool>(&one)) {
            add(type_bool, *truth ? "t" : "f", 1, false);
        } else if (const auto* whole = std::get_if<std::int64_t>(&one)) {
            add_number(type_int8, digits_of(*whole));
        } else if (const auto* real = std::get_if<double>(&one)) {
            add_number(type_float8, digits_of(*real));
        } else if (const auto* text = std::get_if<std::string>(&one)) {
            add_text(*text);
        } else if (const auto* bytes = std::get_if<sql::bytes>(&one)) {
            // A null pointer would be NULL.
            const void* data = bytes->empty() ? static_cast<const void*>("") : bytes->data();
            add(type_bytea, static_cast<const char*>(data), bytes->size(), true);
        } else {
            add(type_unknown, nullptr, 0, false);
        }
    }
}

void parameters::add(Oid type, const char* value, std::size_t length, bool binary) {
    types_.push_back(type);
    values_.push_back(value);
    lengths_.push_back(static_cast<int>(length));
    formats_.push_back(binary ? 1 : 0);
}

void parameters::add_text(const std::string& text) {
    if (text.find('\0') != text.npos) {
        throw database_error{"PostgreSQL keeps no text with a zero byte, as parameter $" +
                                 std::to_string(values_.size() + 1) + " has one (SQLSTATE 22021)",
                             "22021"};
    }
    add(type_unknown, text.c_str(), text.size(), false);
}

void parameters::add_number(Oid type, std::string digits) {
    digits_.push_back(std::move(digits));
    add(type, digits_.back().c_str(), digits_.back().size(), false);
}

std::string parameters::signature() const {
    std::string text;
    for (const auto type : types_) text += std::to_string(type) + ' ';
    return text;
}

// ---- from the server -----------------------------------------------------------------------------------

sql::result rows_of(const PGresult* from) {
    sql::result all;
    all.affected = changed(from);
    const int columns = PQnfields(from);
    const int rows = PQntuples(from);
    std::vector<Oid> types;
    for (int column = 0; column < columns; ++column) {
        all.columns.emplace_back(PQfname(from, column));
        types.push_back(PQftype(from, column));
    }
    all.rows.reserve(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
        auto& values = all.rows.emplace_back();
        values.reserve(types.size());
        for (int column = 0; column < columns; ++column)
            values.push_back(value_of(from, row, column, types[static_cast<std::size_t>(column)]));
    }
    return all;
}

}  // namespace errand::postgres
