#include "sqlite/connection.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <unistd.h>

namespace errand::sqlite {
namespace {

// A file in memory rather than ":memory:": that one is a page cache without
// bounds, which SQLite looks through at commits.
constexpr const char* in_memory = "file:tasks?vfs=memdb";
constexpr sqlite3_int64 bytes_in_memory = sqlite3_int64{1} << 40;

[[noreturn]] void fail(sqlite3* in) {
    throw failure{sqlite3_extended_errcode(in), in ? sqlite3_errmsg(in) : "out of memory"};
}

[[noreturn]] void fail(sqlite3_stmt* of) { fail(sqlite3_db_handle(of)); }

int wait_a_little(void*, int times) {
    constexpr int most_times = 30;
    if (times >= most_times) return 0;
    ::usleep(times < 5 ? 100 : 1000);
    return 1;
}

}  // namespace

void throw_damaged(const std::string& words) { throw failure{SQLITE_CORRUPT, words}; }

// ---- statement ---------------------------------------------------------------------------------------

cursor::~cursor() { sqlite3_reset(of_); }

bool cursor::next() {
    const int got = sqlite3_step(of_);
    if (got == SQLITE_ROW) return true;
    if (got == SQLITE_DONE) return false;
    fail(of_);
}

std::int64_t cursor::number(int column) const { return sqlite3_column_int64(of_, column); }

std::string_view cursor::bytes(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(of_, column));
    if (!data) return {};
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(of_, column))};
}

bool cursor::is_null(int column) const { return sqlite3_column_type(of_, column) == SQLITE_NULL; }

void statement::prepare() {
    const auto size = static_cast<int>(sql_.size());
    const char* rest = nullptr;
    const int got = sqlite3_prepare_v3(in_, sql_.data(), size, SQLITE_PREPARE_PERSISTENT, &of_, &rest);
    if (got != SQLITE_OK) fail(in_);
    rest_ = sql_.substr(static_cast<std::size_t>(rest - sql_.data()));
}

statement::~statement() { sqlite3_finalize(of_); }

void statement::bind_number(int at, std::int64_t value) {
    if (sqlite3_bind_int64(of_, at, value) != SQLITE_OK) fail(of_);
}

void statement::bind_null(int at) {
    if (sqlite3_bind_null(of_, at) != SQLITE_OK) fail(of_);
}

void statement::bind(int at, text value) {
    const char* data = value.of.empty() ? "" : value.of.data();
    if (sqlite3_bind_text64(of_, at, data, value.of.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
        fail(of_);
}

void statement::bind(int at, std::string_view value) {
    // Without an address it would be bound as null.
    const char* data = value.empty() ? "" : value.data();
    if (sqlite3_bind_blob64(of_, at, data, value.size(), SQLITE_STATIC) != SQLITE_OK) fail(of_);
}

// ---- connection ---------------------------------------------------------------------------------------

connection::connection(const std::string& path) {
    const char* name = path.empty() ? in_memory : path.c_str();
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                      (path.empty() ? SQLITE_OPEN_URI : 0);
    if (sqlite3_open_v2(name, &of_, flags, nullptr) != SQLITE_OK) {
        const failure why{sqlite3_extended_errcode(of_), of_ ? sqlite3_errmsg(of_) : "out of memory"};
        sqlite3_close(of_);
        throw why;
    }
    auto limit = bytes_in_memory;
    if (path.empty()) sqlite3_file_control(of_, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
    // Statements take their small pieces of memory from here rather than from the
    // heap, where SQLite is built with it.
    sqlite3_db_config(of_, SQLITE_DBCONFIG_LOOKASIDE, nullptr, 1200, 400);
}

connection::~connection() {
    if (owned_) sqlite3_close_v2(of_);
}

void connection::wait_for_locks() { sqlite3_busy_handler(of_, wait_a_little, nullptr); }

void connection::execute(const std::string& sql) {
    if (sqlite3_exec(of_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(of_);
}

std::optional<std::string> connection::ask(const std::string& sql) {
    statement asked{of_, sql};
    auto rows = asked();
    if (!rows.next()) return std::nullopt;
    return std::string{rows.bytes(0)};
}

bool connection::changed() const { return sqlite3_changes(of_) > 0; }
std::int64_t connection::last_row() const { return sqlite3_last_insert_rowid(of_); }
bool connection::in_transaction() const noexcept { return sqlite3_get_autocommit(of_) == 0; }

}  // namespace errand::sqlite
