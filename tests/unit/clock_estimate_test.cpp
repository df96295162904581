#include "core/clock_estimate.hpp"

#include <catch2/catch_test_macros.hpp>

using errand::clock_estimate;
using errand::time_point;
using namespace std::chrono_literals;

namespace {

clock_estimate::local here(std::chrono::milliseconds at) { return clock_estimate::local{at}; }
time_point there(std::chrono::milliseconds at) { return time_point{10h + at}; }

}  // namespace

TEST_CASE("another machine's clock goes on with time") {
    clock_estimate t;
    t.hear(there(0ms), here(0ms), here(0ms));
    CHECK(t.at(here(0ms)) == there(0ms));
    CHECK(t.at(here(5ms)) == there(5ms));
}

TEST_CASE("a slow answer is late, and does not spoil what a quick one said") {
    clock_estimate t;
    t.hear(there(0ms), here(0ms), here(40ms));
    CHECK(t.at(here(40ms)) == there(0ms));
    t.hear(there(50ms), here(50ms), here(51ms));
    CHECK(t.at(here(51ms)) == there(50ms));
    t.hear(there(60ms), here(60ms), here(90ms));
    CHECK(t.at(here(90ms)) == there(89ms));
}

TEST_CASE("a clock that was set is believed as far as an answer says so") {
    clock_estimate t;
    t.hear(there(0ms), here(0ms), here(0ms));
    SECTION("forward") {
        t.hear(there(1000ms), here(10ms), here(12ms));
        CHECK(t.at(here(12ms)) == there(1000ms));
    }
    SECTION("back") {
        t.hear(there(-1000ms), here(10ms), here(12ms));
        // It showed this or up to a ms more, and maybe when it was asked.
        CHECK(t.at(here(12ms)) == there(-997ms));
    }
    SECTION("back, by less than the answer took") {
        t.hear(there(5ms), here(10ms), here(40ms));
        CHECK(t.at(here(40ms)) == there(36ms));
    }
}

TEST_CASE("two clocks that go apart are never further apart than an answer takes") {
    clock_estimate t;
    for (auto at = 0ms; at < 100s; at += 1s) {
        const auto slower = at - at / 100;
        t.hear(there(slower), here(at), here(at + 1ms));
        CHECK(t.at(here(at + 1ms)) >= there(slower));
        CHECK(t.at(here(at + 1ms)) <= there(slower) + 2ms);
    }
}
