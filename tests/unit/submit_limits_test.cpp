// How much may wait before a store that does not keep up.
#include "runtime/submit_limits.hpp"

#include <catch2/catch_test_macros.hpp>

using errand::store_error;
using errand::submit_backlog;

TEST_CASE("so many submissions may wait for the store, and one call more of any size") {
    submit_backlog waiting;
    waiting.enter(999'999, 0);
    CHECK_NOTHROW(waiting.enter(5'000, 0));
    CHECK_THROWS_AS(waiting.enter(1, 0), store_error);
    waiting.leave(999'999, 0);
    CHECK_NOTHROW(waiting.enter(1, 0));
}

TEST_CASE("of large submissions fewer may wait for the store") {
    constexpr std::size_t mebibyte = std::size_t{1024} * 1024;
    submit_backlog waiting;
    waiting.enter(1, 255 * mebibyte);
    CHECK_NOTHROW(waiting.enter(1, 2 * mebibyte));
    CHECK_THROWS_AS(waiting.enter(1, 0), store_error);
    waiting.leave(1, 255 * mebibyte);
    CHECK_NOTHROW(waiting.enter(1, 0));
}
