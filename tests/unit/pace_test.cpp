#include "core/pace.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;

TEST_CASE("rounds over the cluster stay at one a second however many workers there are") {
    // mean interval = 1 s * workers, at random 1/2
    for (std::size_t workers : {5U, 10U, 50U}) {
        CHECK(errand::look_interval(workers, 0.5) == workers * 1s);
    }
}

TEST_CASE("what one worker does for all is offered twice a second, by however many workers") {
    CHECK(errand::offer_interval(1, 0.0) == 500ms);
    CHECK(errand::offer_interval(4, 0.5) == 2s);
    CHECK(errand::offer_interval(100'000, 0.9) == 10s);
}

TEST_CASE("no worker looks more often than every 5 s or less often than every minute") {
    CHECK(errand::look_interval(1, 0.0) == 5s);
    CHECK(errand::look_interval(2, 0.0) == 5s);
    CHECK(errand::look_interval(100'000, 0.9) == 60s);
    CHECK(errand::look_or_due(std::nullopt, 1, 0.0) == 5s);
    CHECK(errand::look_or_due(7s, 1, 0.0) == 5s);
}

TEST_CASE("a worker looks when something is due, before it would have looked by itself") {
    CHECK(errand::look_or_due(20ms, 1, 0.0) == 20ms);
}

TEST_CASE("a worker that nothing woke claims every 4 to 5 s") {
    CHECK(errand::claim_interval(0.0) == 4s);
    CHECK(errand::claim_interval(0.999) == 4999ms);
}

TEST_CASE("a worker looks for lost leases when the first one ends, and never later than a lease from now") {
    CHECK(errand::recovery_interval(3s, 30s, 1, 0.0) == 3s + 1ms);
    CHECK(errand::recovery_interval(3s, 30s, 100, 0.99) < 3s + 500ms);
    CHECK(errand::recovery_interval(-1s, 30s, 1, 0.0) == 1ms);
    CHECK(errand::recovery_interval(25s, 30s, 1, 0.5) == 10s);
    CHECK(errand::recovery_interval(std::nullopt, 30s, 1, 0.5) == 10s);
    CHECK(errand::recovery_interval(std::nullopt, 1s, 1, 0.5) == 1s);
    CHECK(errand::recovery_interval(std::nullopt, 600s, 40, 0.5) == 40s);
}
