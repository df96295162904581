// One connection of SQLite as a database_transaction needs it: a statement, its values, its rows. It blocks.
#pragma once

#include <errand/sql.hpp>

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace errand::sqlite {

// Another one holds a lock that the statement needs; nothing of it has happened.
struct busy {
    bool hopeless;  // what the transaction has read is out of date: waiting does not help
};

// Not more than one thread at a time.
class handle {
public:
    // Opens or makes the file. Throws store_error.
    handle(const std::string& path, const std::string& synchronous);
    // Of somebody else's connection, which stays open.
    explicit handle(sqlite3* adopted) : of_{adopted}, owned_{false} {}
    ~handle();
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;

    sqlite3* raw() const noexcept { return of_; }
    bool in_transaction() const noexcept;
    // Whether it takes the lock of writers.
    bool writes(const std::string& sql);
    // Throws busy, database_error; store_error when the file cannot be worked with.
    sql::result run(const std::string& sql, const std::vector<sql::value>& values);

private:
    struct prepared {
        std::string sql;
        sqlite3_stmt* of = nullptr;
    };

    sqlite3_stmt* statement_of(const std::string& sql);
    sqlite3_stmt* prepare(const std::string& sql);
    void set_up(const std::string& synchronous);
    void ask(const char* sql);
    sql::result rows_of(sqlite3_stmt* of);
    [[noreturn]] void fail(int code, std::string_view statement);
    void forget(sqlite3_stmt* of) noexcept;

    sqlite3* of_ = nullptr;
    bool owned_ = true;
    std::list<prepared> kept_;  // the one used last is the first
    std::unordered_map<std::string, std::list<prepared>::iterator> by_text_;
};

}  // namespace errand::sqlite
