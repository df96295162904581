// Which store a test program runs on, and what that store can do that others cannot.
#pragma once

#include <errand/config.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace errand::test {

enum class store_kind : unsigned char { redis, sqlite, sqlite_memory };

// ERRAND_TEST_STORE: redis (as without it), sqlite or sqlite-memory.
inline store_kind kind_of_tests() {
    const char* given = std::getenv("ERRAND_TEST_STORE");
    const std::string name = given && *given ? given : "redis";
    if (name == "redis") return store_kind::redis;
    if (name == "sqlite") return store_kind::sqlite;
    if (name == "sqlite-memory") return store_kind::sqlite_memory;
    throw std::runtime_error{"ERRAND_TEST_STORE: there is no store \"" + name + '"'};
}

enum class capability : unsigned char {
    shared_by_apps,  // several apps, or processes, work on the same tasks
    goes_away,       // it can be away for a while and come back
    in_shards,       // a namespace may be divided
};

inline bool can(capability what) {
    switch (what) {
    case capability::shared_by_apps: return kind_of_tests() != store_kind::sqlite_memory;
    case capability::goes_away:
    case capability::in_shards: return kind_of_tests() == store_kind::redis;
    }
    return false;
}

}  // namespace errand::test
