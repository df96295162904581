#include "support/test_app.hpp"

#include "support/backing.hpp"
#include "support/database_fixture.hpp"
#include "support/redis_cluster.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace errand::test {

redis_server& shared_redis() {
    static redis_server server;
    return server;
}

config fresh_settings() {
    static std::atomic<int> tests{0};
    config settings;
    settings.name_space = "test-" + std::to_string(++tests);
    const auto kind = tasks_are_inside() ? store_kind::sqlite : kind_of_tests();
    switch (kind) {
    case store_kind::redis:
        settings.store = tests_are_in_cluster() ? shared_cluster().url() : shared_redis().url();
        settings.shards = shards_of_tests();
        break;
    case store_kind::sqlite: settings.store = "sqlite://" + fresh_database() + "?synchronous=normal"; break;
    case store_kind::sqlite_memory: settings.store = "sqlite::memory:"; break;
    }
    settings.log_level = "off";
    if (tests_are_sealed()) settings.encryption_keys = keys_of_tests;
    return settings;
}

void eventually(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    bool held = holds();
    while (!held && std::chrono::steady_clock::now() < end) {
        // Looking without a pause would take a core from what is waited for.
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        held = holds();
    }
    REQUIRE(held);
}

}  // namespace errand::test
