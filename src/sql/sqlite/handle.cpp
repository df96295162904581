#include "sql/sqlite/handle.hpp"

#include <errand/error.hpp>

#include "sql/sqlite/values.hpp"
#include "sql/statement_text.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace errand::sqlite {
namespace {

constexpr std::size_t most_kept = 200;

bool is_blank(std::string_view rest) {
    return std::ranges::all_of(rest, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == ';'; });
}

// Nothing of it depends on the transaction: the file itself is in trouble.
bool is_outage(int code) {
    switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL: return true;
    default: return false;
    }
}

}  // namespace

handle::handle(const std::string& path, const std::string& synchronous) {
    constexpr int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &of_, flags, nullptr);
    try {
        if (code != SQLITE_OK) {
            throw store_error{"connect: " + path + ": " + sqlite3_errstr(code) +
                              ": look whether the folder exists and this user may write to it"};
        }
        set_up(synchronous);
    } catch (const busy&) {
        sqlite3_close_v2(of_);
        throw;
    } catch (...) {
        sqlite3_close_v2(of_);
        throw;
    }
}

handle::~handle() {
    for (const auto& one : kept_) sqlite3_finalize(one.of);
    if (owned_) sqlite3_close_v2(of_);
}

void handle::ask(const char* sql) { run(sql, {}); }

void handle::set_up(const std::string& synchronous) {
    const auto known = run("SELECT count(*) FROM sqlite_schema", {});
    if (std::get<std::int64_t>(known.rows.at(0).at(0)) == 0) ask("PRAGMA journal_mode = WAL");
    ask(("PRAGMA synchronous = " + synchronous).c_str());
    ask("PRAGMA foreign_keys = ON");
}

bool handle::in_transaction() const noexcept { return sqlite3_get_autocommit(of_) == 0; }

bool handle::writes(const std::string& sql) { return sqlite3_stmt_readonly(statement_of(sql)) == 0; }

sqlite3_stmt* handle::prepare(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(of_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, &rest);
    if (code != SQLITE_OK) fail(code, sql);
    if (made == nullptr) throw database_error{"the statement is empty", "SQLITE_MISUSE"};
    if (is_blank({rest, static_cast<std::size_t>(sql.data() + sql.size() - rest)})) return made;
    sqlite3_finalize(made);
    throw database_error{"more than one statement: one call runs one, and \"" +
                             std::string{rest}.substr(0, 40) + "\" comes after the first",
                         "SQLITE_MISUSE"};
}

sqlite3_stmt* handle::statement_of(const std::string& sql) {
    if (const auto known = by_text_.find(sql); known != by_text_.end()) {
        kept_.splice(kept_.begin(), kept_, known->second);
        return known->second->of;
    }
    kept_.push_front({sql, prepare(sql)});
    by_text_.emplace(sql, kept_.begin());
    if (kept_.size() > most_kept) {
        by_text_.erase(kept_.back().sql);
        sqlite3_finalize(kept_.back().of);
        kept_.pop_back();
    }
    return kept_.front().of;
}

void handle::forget(sqlite3_stmt* of) noexcept {
    sqlite3_reset(of);
    sqlite3_clear_bindings(of);
}

sql::result handle::run(const std::string& sql, const std::vector<sql::value>& values) {
    auto* of = statement_of(sql);
    const auto before = sqlite3_total_changes64(of_);
    try {
        bind_all(of, values);
        auto got = rows_of(of);
        if (sqlite3_total_changes64(of_) != before)
            got.affected = static_cast<std::uint64_t>(sqlite3_changes64(of_));
        forget(of);
        return got;
    } catch (...) {
        forget(of);
        throw;
    }
}

sql::result handle::rows_of(sqlite3_stmt* of) {
    sql::result got;
    int code = sqlite3_step(of);
    // Known for sure only after the first step, which may have prepared it again.
    const int width = sqlite3_column_count(of);
    for (int at = 0; at < width; ++at) got.columns.emplace_back(sqlite3_column_name(of, at));
    for (; code == SQLITE_ROW; code = sqlite3_step(of)) {
        auto& row = got.rows.emplace_back();
        row.reserve(static_cast<std::size_t>(width));
        for (int at = 0; at < width; ++at) row.push_back(value_at(of, at));
    }
    if (code != SQLITE_DONE) fail(code, sqlite3_sql(of));
    return got;
}

void handle::fail(int code, std::string_view statement) {
    if (code == SQLITE_BUSY_SNAPSHOT) throw busy{true};
    if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) throw busy{false};
    const std::string words = sqlite3_errmsg(of_);
    const auto text = "SQLite: " + words + " (" + name_of_code(code) + ")";
    if (is_outage(code)) throw store_error{text};
    throw database_error{text + " in: " + sql::beginning(statement), name_of_code(code)};
}

}  // namespace errand::sqlite
