// For a worker on a SQLite file: it dies when the store has taken its report, and it has not heard so.
#pragma once

namespace trial {

// Before the first database is opened.
void watch_commits();
// The next commit of a report, whichever, is the last thing that this process does.
void die_with_next_report();

}  // namespace trial
