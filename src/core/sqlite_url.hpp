// URLs of SQLite files: sqlite:///absolute/path.db, sqlite:relative/path.db, sqlite::memory:
#pragma once

#include <string>
#include <string_view>

namespace errand {

struct sqlite_url {
    std::string path;  // empty: in memory
    std::string synchronous = "FULL";
};

// Returns what is wrong, or nothing.
std::string read_sqlite_url(std::string_view url, sqlite_url& to);

}  // namespace errand
