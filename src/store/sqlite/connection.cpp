#include "store/sqlite/connection.hpp"

#include "store/sqlite/sql_texts.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <unistd.h>

namespace errand::sqlite {
namespace {

constexpr std::string_view schema_file = "schema";

// A file in memory rather than ":memory:": that one is a page cache without bounds, which SQLite looks through at commits.
constexpr const char* in_memory = "file:tasks?vfs=memdb";
constexpr sqlite3_int64 bytes_in_memory = sqlite3_int64{1} << 40;

[[noreturn]] void fail(sqlite3* in) {
    throw failure{sqlite3_errcode(in) & 0xff, in ? sqlite3_errmsg(in) : "out of memory"};
}

[[noreturn]] void fail(sqlite3_stmt* of) { fail(sqlite3_db_handle(of)); }

// Whoever holds the file's write lock has it for some ms: waits in small steps, so that two busy processes take turns.
int wait_for_lock(void*, int times) {
    constexpr int most_times = 30;
    if (times >= most_times) return 0;
    ::usleep(times < 5 ? 100 : 1000);
    return 1;
}

}  // namespace

// ---- statement -----------------------------------------------------------------------------------------

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
    const int got = sqlite3_prepare_v3(in_, sql_.data(), size, SQLITE_PREPARE_PERSISTENT, &of_, nullptr);
    if (got != SQLITE_OK) fail(in_);
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

// ---- connection ----------------------------------------------------------------------------------------

connection::connection(const std::string& path, bool create) {
    const char* name = path.empty() ? in_memory : path.c_str();
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0) |
                      (path.empty() ? SQLITE_OPEN_URI : 0);
    if (sqlite3_open_v2(name, &of_, flags, nullptr) != SQLITE_OK) {
        const failure why{sqlite3_errcode(of_) & 0xff, of_ ? sqlite3_errmsg(of_) : "out of memory"};
        sqlite3_close(of_);
        throw why;
    }
    auto limit = bytes_in_memory;
    if (path.empty()) sqlite3_file_control(of_, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
    sqlite3_busy_handler(of_, wait_for_lock, nullptr);
    // Statements take their small pieces of memory from here rather than from the heap, where SQLite is built with it.
    sqlite3_db_config(of_, SQLITE_DBCONFIG_LOOKASIDE, nullptr, 1200, 400);
}

connection::~connection() {
    if (owned_) sqlite3_close_v2(of_);
}

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
bool connection::in_transaction() const { return sqlite3_get_autocommit(of_) == 0; }

// ---- all statements ------------------------------------------------------------------------------------

std::string_view schema_text() { return std::ranges::find(sql_texts, schema_file, &script_text::name)->text; }

statement_set::statement_set(connection& in, bool prepared) {
    constexpr std::string_view mark = "-- name: ";
    for (const auto& file : sql_texts) {
        if (file.name == schema_file) continue;
        for (auto at = file.text.find(mark); at != file.text.npos;) {
            const auto from = file.text.find('\n', at);
            const auto name = file.text.substr(at + mark.size(), from - at - mark.size());
            const auto next = file.text.find(mark, from);
            const auto sql = file.text.substr(from, next == file.text.npos ? next : next - from);
            auto& made = all_[std::string{file.name} + '.' + std::string{name}];
            made = std::make_unique<statement>(in.raw(), sql);
            try {
                if (prepared) made->prepare();
            } catch (const failure& why) {
                throw failure{why.code, "sql/" + std::string{file.name} + ".sql, " + std::string{name} +
                                            ": " + why.what()};
            }
            at = next;
        }
    }
}

statement& statement_set::operator[](const std::string& name) {
    const auto found = all_.find(name);
    if (found == all_.end()) throw failure{SQLITE_ERROR, "there is no statement " + name};
    return *found->second;
}

}  // namespace errand::sqlite
