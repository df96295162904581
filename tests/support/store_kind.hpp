// Which store a test program runs on, and what that store can do that others cannot.
#pragma once

#include <errand/config.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace errand::test {

enum class store_kind : unsigned char { redis, sqlite, sqlite_memory };

// Behind the name of a store: what tests submit is encrypted.
inline constexpr std::string_view sealed_suffix = "-sealed";
inline constexpr const char* keys_of_tests =
    "test-1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

// ERRAND_TEST_STORE: redis (as without it), redis-cluster, sqlite or sqlite-memory, and one of these with -sealed behind it.
inline std::string store_of_tests() {
    const char* given = std::getenv("ERRAND_TEST_STORE");
    return given && *given ? given : "redis";
}
// Then the Redis is one of several servers.
inline bool tests_are_in_cluster() { return store_of_tests().starts_with("redis-cluster"); }
inline bool tests_are_sealed() { return store_of_tests().ends_with(sealed_suffix); }

inline store_kind kind_of_tests() {
    auto name = store_of_tests();
    if (tests_are_sealed()) name.resize(name.size() - sealed_suffix.size());
    if (name == "redis" || name == "redis-cluster") return store_kind::redis;
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
