// SQLite as the store and users' databases need it: one connection to one
// database, and its prepared statements. All of it belongs to one thread at a
// time.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace errand::sqlite {

// What SQLite said, with its result code.
struct failure : std::runtime_error {
    failure(int with, const std::string& words)
        : std::runtime_error{words}, code{with & 0xff}, extended{with} {}
    int code;
    int extended;  // the same with what more it said
};

// What stands in the file contradicts itself.
[[noreturn]] void throw_damaged(const std::string& words);

// Bound as text; a plain string_view is bound as a blob. Neither is copied: it
// must outlive the cursor.
struct text {
    std::string_view of;
};

// A row of an answer; what bytes() gives is valid until the next call of
// next().
class cursor {
public:
    explicit cursor(sqlite3_stmt* of) : of_{of} {}
    ~cursor();
    cursor(const cursor&) = delete;
    cursor& operator=(const cursor&) = delete;

    bool next();
    std::int64_t number(int column) const;
    std::string_view bytes(int column) const;
    bool is_null(int column) const;
    sqlite3_stmt* raw() const noexcept { return of_; }

private:
    sqlite3_stmt* of_;
};

class statement {
public:
    // `sql` must outlive it.
    statement(sqlite3* in, std::string_view sql) : in_{in}, sql_{sql} {}
    ~statement();
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;

    // Done by the first use too. What stands behind the first statement of the
    // text is left alone.
    void prepare();
    // Of one that is prepared; null when the text holds none.
    sqlite3_stmt* raw() const noexcept { return of_; }
    // What stands behind it; of one that is prepared.
    std::string_view rest() const noexcept { return rest_; }

    // Not while a cursor of the same statement is alive.
    template <class... Values>
    cursor operator()(const Values&... values) {
        if (!of_) prepare();
        int at = 0;
        (bind(++at, values), ...);
        return cursor{of_};
    }
    template <class... Values>
    void run(const Values&... values) {
        auto rows = (*this)(values...);
        while (rows.next()) {
        }
    }

private:
    template <std::integral Number>
    void bind(int at, Number value) {
        bind_number(at, static_cast<std::int64_t>(value));
    }
    template <class T>
    void bind(int at, const std::optional<T>& value) {
        if (value) {
            bind(at, *value);
        } else {
            bind_null(at);
        }
    }
    void bind(int at, text value);
    void bind(int at, std::string_view value);
    void bind_number(int at, std::int64_t value);
    void bind_null(int at);

    sqlite3* in_;
    std::string_view sql_;
    std::string_view rest_;
    sqlite3_stmt* of_ = nullptr;
};

class connection {
public:
    // Opens the file, or makes it; an empty path is a database in memory.
    explicit connection(const std::string& path);
    // Of somebody else's, which stays open.
    explicit connection(sqlite3* adopted) : of_{adopted}, owned_{false} {}
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    // Whoever holds the file's write lock has it for some ms: from now on waits
    // for it in small steps, so that two busy processes take turns. Without, a
    // lock fails at once.
    void wait_for_locks();

    sqlite3* raw() const noexcept { return of_; }
    void execute(const std::string& sql);
    // The first column of the first row; nothing when there is no row.
    std::optional<std::string> ask(const std::string& sql);
    // Whether the last statement changed rows.
    bool changed() const;
    std::int64_t last_row() const;
    bool in_transaction() const noexcept;

private:
    sqlite3* of_ = nullptr;
    bool owned_ = true;
};

}  // namespace errand::sqlite
