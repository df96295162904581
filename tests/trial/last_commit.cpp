#include "trial/last_commit.hpp"

#include <sqlite3.h>

#include <atomic>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace trial {
namespace {

std::atomic<bool> is_last{false};
// By the one thread that has a database.
bool reported = false;

// SQLite calls it when a statement begins and when it has ended.
int note(unsigned what, void*, void* of, void*) {
    const std::string_view sql{sqlite3_sql(static_cast<sqlite3_stmt*>(of))};
    const auto is = [&](std::string_view part) { return sql.find(part) != sql.npos; };
    if (what == SQLITE_TRACE_STMT) {
        if (is_last && is("UPDATE errand_task") && is("claim = NULL") && is("AND claim = ?3"))
            reported = true;
        if (is("ROLLBACK")) reported = false;
    } else if (reported && is("COMMIT")) {
        ::kill(::getpid(), SIGKILL);
    }
    return 0;
}

int watch(sqlite3* opened, const char**, const void*) {
    return sqlite3_trace_v2(opened, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, note, nullptr);
}

}  // namespace

void watch_commits() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch)); }
void die_with_next_report() { is_last = true; }

}  // namespace trial
