#include "support/test_app.hpp"

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
    settings.store = shared_redis().url();
    settings.name_space = "test-" + std::to_string(++tests);
    settings.shards = shards_of_tests();
    settings.log_level = "off";
    return settings;
}

void eventually(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    bool held = holds();
    while (!held && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
        held = holds();
    }
    REQUIRE(held);
}

}  // namespace errand::test
