#include "sql/sqlite/values.hpp"

#include <errand/error.hpp>

#include <sqlite3.h>

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace errand::sqlite {
namespace {

// What the n-th parameter of SQLite is in the order of the caller.
int place_of(sqlite3_stmt* to, int at) {
    const char* name = sqlite3_bind_parameter_name(to, at);
    if (name == nullptr || name[0] != '$') return at;
    int place = 0;
    const auto* end = name + std::strlen(name);
    const auto [rest, failed] = std::from_chars(name + 1, end, place);
    return failed == std::errc{} && rest == end ? place : at;
}

struct binder {
    sqlite3_stmt* to;
    int at;

    int operator()(std::monostate) const { return sqlite3_bind_null(to, at); }
    int operator()(bool value) const { return sqlite3_bind_int(to, at, value ? 1 : 0); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(to, at, value); }
    int operator()(double value) const { return sqlite3_bind_double(to, at, value); }
    int operator()(const std::string& value) const {
        return sqlite3_bind_text64(to, at, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    int operator()(const sql::bytes& value) const {
        if (value.empty()) return sqlite3_bind_zeroblob(to, at, 0);
        return sqlite3_bind_blob64(to, at, value.data(), value.size(), SQLITE_STATIC);
    }
};

constexpr std::array<std::pair<int, const char*>, 28> names{{
    {SQLITE_ERROR, "SQLITE_ERROR"},
    {SQLITE_PERM, "SQLITE_PERM"},
    {SQLITE_ABORT, "SQLITE_ABORT"},
    {SQLITE_NOMEM, "SQLITE_NOMEM"},
    {SQLITE_READONLY, "SQLITE_READONLY"},
    {SQLITE_INTERRUPT, "SQLITE_INTERRUPT"},
    {SQLITE_IOERR, "SQLITE_IOERR"},
    {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
    {SQLITE_FULL, "SQLITE_FULL"},
    {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
    {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
    {SQLITE_TOOBIG, "SQLITE_TOOBIG"},
    {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
    {SQLITE_MISMATCH, "SQLITE_MISMATCH"},
    {SQLITE_MISUSE, "SQLITE_MISUSE"},
    {SQLITE_AUTH, "SQLITE_AUTH"},
    {SQLITE_RANGE, "SQLITE_RANGE"},
    {SQLITE_NOTADB, "SQLITE_NOTADB"},
    {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"},
    {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"},
    {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER"},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"},
    {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"},
    {SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE"},
    {SQLITE_BUSY, "SQLITE_BUSY"},
    {SQLITE_LOCKED, "SQLITE_LOCKED"},
}};

}  // namespace

void bind_all(sqlite3_stmt* to, const std::vector<sql::value>& values) {
    const int count = sqlite3_bind_parameter_count(to);
    int most = 0;
    for (int at = 1; at <= count; ++at) most = std::max(most, place_of(to, at));
    if (static_cast<std::size_t>(most) != values.size()) {
        throw database_error{"the statement has " + std::to_string(most) + " parameters, and " +
                                 std::to_string(values.size()) + " were given",
                             "SQLITE_RANGE"};
    }
    for (int at = 1; at <= count; ++at) {
        const auto& value = values[static_cast<std::size_t>(place_of(to, at) - 1)];
        const int code = std::visit(binder{to, at}, value);
        if (code != SQLITE_OK) throw database_error{sqlite3_errstr(code), name_of_code(code)};
    }
}

sql::value value_at(sqlite3_stmt* of, int column) {
    switch (sqlite3_column_type(of, column)) {
    case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(of, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(of, column);
    case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(of, column));
        return std::string{text, static_cast<std::size_t>(sqlite3_column_bytes(of, column))};
    }
    case SQLITE_BLOB: {
        const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(of, column));
        return sql::bytes{bytes, bytes + sqlite3_column_bytes(of, column)};
    }
    default: return std::monostate{};
    }
}

std::string name_of_code(int code) {
    for (const auto& [known, name] : names) {
        if (known == code) return name;
    }
    if (code != (code & 0xff)) return name_of_code(code & 0xff);
    return "SQLITE_" + std::to_string(code);
}

}  // namespace errand::sqlite
