#include <errand/backoff.hpp>
#include <errand/error.hpp>

#include "core/backoff_delay.hpp"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <stdexcept>

using errand::backoff;
using errand::duration;
using namespace std::chrono_literals;

TEST_CASE("the polynomial is n^4 + 15 + random * 30 * (n + 1) seconds") {
    struct {
        int retries;
        double random;
        duration delay;
    } const rows[] = {{0, 0.0, 15s}, {0, 0.5, 30s}, {1, 0.0, 16s}, {2, 0.5, 76s}, {24, 0.0, 331'791s}};
    for (const auto& row : rows) CHECK(errand::polynomial_delay(row.retries, row.random) == row.delay);
}

TEST_CASE("the polynomial grows without overflow") {
    CHECK(errand::polynomial_delay(std::numeric_limits<int>::max(), 0.99) > 0s);
    CHECK(errand::polynomial_delay(-1, 0) == 15s);
}

TEST_CASE("the exponential doubles up to its cap without overflow") {
    const auto first = duration{1s};
    CHECK(errand::exponential_delay(first, 1min, 0) == 1s);
    CHECK(errand::exponential_delay(first, 1min, 5) == 32s);
    CHECK(errand::exponential_delay(first, 1min, 6) == 1min);
    CHECK(errand::exponential_delay(first, duration::max(), std::numeric_limits<int>::max()) ==
          duration::max());
}

TEST_CASE("each backoff gives its delay, and any callable is one") {
    CHECK(backoff::uniform(3s)(7, nullptr) == 3s);
    CHECK(backoff::exponential(1s, 1h)(3, nullptr) == 8s);
    const auto first = backoff::polynomial()(0, nullptr);
    CHECK((first >= 15s && first < 45s));
    const backoff own = [](int retries, const std::exception_ptr&) { return retries * duration{5}; };
    CHECK(own(3, nullptr) == 15ms);
}

TEST_CASE("a backoff that makes no sense is refused when it is made") {
    CHECK_THROWS_AS(backoff::uniform(-1s), errand::usage_error);
    CHECK_THROWS_AS(backoff::exponential(0s, 1s), errand::usage_error);
    CHECK_THROWS_AS(backoff::exponential(2s, 1s), errand::usage_error);
}
