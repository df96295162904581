#include "core/kept_for.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace errand;
using namespace std::chrono_literals;

TEST_CASE("ended tasks are kept at least as long as asked, and an eighth longer at most") {
    for (duration asked{1}; asked < duration{std::chrono::hours{24 * 400}}; asked += asked / 37 + 1ms) {
        CHECK(kept_for(asked) >= asked);
        CHECK(kept_for(asked) <= asked + asked / 8);
        CHECK(kept_for(kept_for(asked)) == kept_for(asked));
    }
}

TEST_CASE("of lengths that people ask for none is changed") {
    for (const duration asked : {0ms, 1ms, 7ms, 30ms, 100ms, 200ms, 500ms}) CHECK(kept_for(asked) == asked);
    for (const duration asked : {1s, 2s, 15s, 30s, 60s, 90s}) CHECK(kept_for(asked) == asked);
    for (const duration asked : {5min, 10min, 15min, 30min, 45min, 60min, 90min})
        CHECK(kept_for(asked) == asked);
    for (const int hours : {2, 6, 12, 24, 36, 48, 72})
        CHECK(kept_for(std::chrono::hours{hours}) == std::chrono::hours{hours});
    for (const int days : {7, 10, 14, 30, 60, 90, 180, 360}) {
        const std::chrono::hours asked{24 * days};
        CHECK(kept_for(asked) == asked);
    }
}

TEST_CASE("there are few lengths for which ended tasks are kept") {
    std::set<duration> all;
    for (duration asked{1}; asked < duration{std::chrono::hours{24 * 400}}; asked += asked / 1000 + 1ms)
        all.insert(kept_for(asked));
    CHECK(all.size() < 350);
}
