#include "store/sqlite/database.hpp"

#include <errand/error.hpp>

#include "store/sqlite/refusal.hpp"
#include "store/sqlite/statement_set.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace errand::sqlite {
namespace {

// In the header of files of formats before 5, which errand had for itself; since then the header is the user's.
constexpr int application = 0x65725264;

[[noreturn]] void refuse(const address& at, const std::string& why) {
    throw store_error{"open: " + at.shown + ": " + why};
}

int number(connection& in, const std::string& query) { return std::stoi(in.ask(query).value_or("0")); }

void check_format(int format, const address& at, const table_format& known) {
    if (format == 0 || (format >= known.oldest && format <= known.number)) return;
    const bool newer = format > known.number;
    refuse(at, "its tasks are kept in format " + std::to_string(format) + ", and this errand " +
                   (newer ? "knows only " : "no longer knows formats before ") +
                   std::to_string(newer ? known.number : known.oldest) +
                   (newer ? ": use a newer errand, or another file" : ": use another file"));
}

std::string_view step_to(int format, const table_format& known) {
    auto name = std::to_string(format);
    name.insert(0, 3 - std::min<std::size_t>(name.size(), 3), '0');
    const auto at = std::ranges::find(known.steps, name, &embedded_text::name);
    if (at == known.steps.end()) throw failure{SQLITE_ERROR, "there is no step to format " + name};
    return at->text;
}

// To be called in a transaction.
void make_tables(connection& in, const address& at, const table_format& known) {
    const int format = format_of(in);
    check_format(format, at, known);
    const auto number = std::to_string(known.number);
    if (format == 0) {
        in.execute(std::string{schema_text()});
        in.execute("INSERT INTO errand_format(number) VALUES(" + number + ")");
    } else if (format != known.number) {
        for (int next = format + 1; next <= known.number; ++next)
            in.execute(std::string{step_to(next, known)});
        in.execute("UPDATE errand_format SET number = " + number);
    }
}

// Of several processes that open the file at once one makes the tables.
void make_ready(connection& in, const address& at, const table_format& known) {
    if (format_of(in) == known.number) return;
    in.execute("BEGIN IMMEDIATE");
    make_tables(in, at, known);
    in.execute("COMMIT");
}

void set_up(connection& in, const address& at) {
    // What is deleted need not be overwritten with zeros.
    in.execute("PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536");
    if (at.in_memory()) {
        // SQLite looks through its page cache when a commit has split pages: fewer, larger ones are
        // quicker; still larger ones are more to copy for a claim.
        in.execute("PRAGMA page_size = 8192; PRAGMA locking_mode = EXCLUSIVE");
        in.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
        return;
    }
    if (in.ask("PRAGMA journal_mode = WAL") != "wal") {
        refuse(
            at,
            "its file system has no shared memory, which a write-ahead log needs: name a file on a local disk");
    }
    in.execute("PRAGMA synchronous = " + at.synchronous + "; PRAGMA wal_autocheckpoint = 4000");
    // So that a burst does not keep its place on disk for ever.
    in.execute("PRAGMA journal_size_limit = 67108864");
}

}  // namespace

int format_of(connection& in) {
    if (in.ask("SELECT 1 FROM sqlite_schema WHERE name = 'errand_format'"))
        return number(in, "SELECT number FROM errand_format");
    return number(in, "PRAGMA application_id") == application ? number(in, "PRAGMA user_version") : 0;
}

void make_ready_inside(connection& in, const address& at) {
    if (format_of(in) == store_format) return;
    in.execute("SAVEPOINT errand_tables");
    try {
        make_tables(in, at, {});
    } catch (...) {
        in.execute("ROLLBACK TO errand_tables; RELEASE errand_tables");
        throw;
    }
    in.execute("RELEASE errand_tables");
}

std::unique_ptr<connection> open_database(const address& at, const table_format& known) {
    auto in = std::make_unique<connection>(at.path);
    in->wait_for_locks();
    if (sqlite3_db_readonly(in->raw(), "main") == 1) throw failure{SQLITE_READONLY, "attempt to write"};
    check_format(format_of(*in), at, known);
    set_up(*in, at);
    make_ready(*in, at, known);
    return in;
}

}  // namespace errand::sqlite
