#include "sql/mysql/values.hpp"

#include <cstdio>
#include <limits>

namespace errand::mysql {
namespace {

namespace db = boost::mysql;

// Text with leading zeros, as in dates.
std::string padded(unsigned number, int width) {
    char text[16];
    const int size = std::snprintf(text, sizeof text, "%0*u", width, number);
    return {text, static_cast<std::size_t>(size)};
}

// As many digits as the column shows.
std::string fraction(unsigned microseconds, unsigned digits) {
    if (digits == 0) return "";
    return "." + padded(microseconds, 6).substr(0, digits < 6 ? digits : 6);
}

std::string text_of(const db::date& day) {
    return padded(day.year(), 4) + "-" + padded(day.month(), 2) + "-" + padded(day.day(), 2);
}

std::string text_of(const db::datetime& at, unsigned digits) {
    return text_of(db::date{at.year(), at.month(), at.day()}) + " " + padded(at.hour(), 2) + ":" +
           padded(at.minute(), 2) + ":" + padded(at.second(), 2) + fraction(at.microsecond(), digits);
}

// TIME is a length, up to 838 hours either way.
std::string text_of(db::time length, unsigned digits) {
    const auto all = length.count();
    const auto micros = static_cast<std::uint64_t>(all < 0 ? -all : all);
    const auto seconds = micros / 1'000'000;
    return (all < 0 ? "-" : "") + padded(static_cast<unsigned>(seconds / 3600), 2) + ":" +
           padded(static_cast<unsigned>(seconds / 60 % 60), 2) + ":" +
           padded(static_cast<unsigned>(seconds % 60), 2) +
           fraction(static_cast<unsigned>(micros % 1'000'000), digits);
}

sql::value whole(std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::to_string(number);
    return static_cast<std::int64_t>(number);
}

sql::bytes bytes_of(db::blob_view from) {
    const void* start = from.data();
    const auto* first = static_cast<const std::byte*>(start);
    return {first, first + from.size()};
}

sql::value value_of(db::field_view field, const db::metadata& column) {
    switch (field.kind()) {
    case db::field_kind::null: return std::monostate{};
    case db::field_kind::int64: return field.get_int64();
    case db::field_kind::uint64: return whole(field.get_uint64());
    case db::field_kind::float_: return static_cast<double>(field.get_float());
    case db::field_kind::double_: return field.get_double();
    case db::field_kind::string: return std::string{field.get_string()};
    case db::field_kind::blob: return bytes_of(field.get_blob());
    case db::field_kind::date: return text_of(field.get_date());
    case db::field_kind::datetime: return text_of(field.get_datetime(), column.decimals());
    case db::field_kind::time: return text_of(field.get_time(), column.decimals());
    }
    return std::monostate{};
}

db::field_view field_of(const sql::value& value) {
    if (const auto* truth = std::get_if<bool>(&value)) return db::field_view{std::int64_t{*truth}};
    if (const auto* number = std::get_if<std::int64_t>(&value)) return db::field_view{*number};
    if (const auto* real = std::get_if<double>(&value)) return db::field_view{*real};
    if (const auto* text = std::get_if<std::string>(&value)) return db::field_view{*text};
    if (const auto* bytes = std::get_if<sql::bytes>(&value)) {
        const void* start = bytes->data();
        return db::field_view{db::blob_view{static_cast<const unsigned char*>(start), bytes->size()}};
    }
    return db::field_view{};
}

}  // namespace

std::vector<db::field_view> fields_of(const std::vector<sql::value>& values) {
    std::vector<db::field_view> fields;
    fields.reserve(values.size());
    for (const auto& one : values) fields.push_back(field_of(one));
    return fields;
}

void add_columns(sql::result& to, db::metadata_collection_view columns) {
    for (const auto& column : columns) to.columns.emplace_back(column.column_name());
}

void add_rows(sql::result& to, db::rows_view rows, db::metadata_collection_view columns) {
    for (const auto row : rows) {
        auto& values = to.rows.emplace_back();
        values.reserve(row.size());
        for (std::size_t at = 0; at < row.size(); ++at) values.push_back(value_of(row[at], columns[at]));
    }
}

}  // namespace errand::mysql
