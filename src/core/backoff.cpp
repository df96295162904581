#include <errand/backoff.hpp>
#include <errand/error.hpp>

#include "core/backoff_delay.hpp"
#include "core/random.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace errand {

duration polynomial_delay(int retries, double random) noexcept {
    // From here on n^4 is more than any queue lives.
    constexpr int most = 1000;
    const double n = std::clamp(retries, 0, most);
    const double seconds = n * n * n * n + 15 + random * 30 * (n + 1);
    return duration{static_cast<duration::rep>(std::floor(seconds * 1000))};
}

duration exponential_delay(duration first, duration cap, int retries) noexcept {
    duration delay = std::min(first, cap);
    for (int n = 0; n < retries && delay < cap; ++n) {
        if (delay > cap / 2) return cap;
        delay *= 2;
    }
    return delay;
}

namespace {

// As parse_duration() reads it.
std::string in_short(duration length) {
    struct unit {
        std::int64_t ms;
        const char* name;
    };
    for (const auto& [ms, name] :
         {unit{86'400'000, "d"}, unit{3'600'000, "h"}, unit{60'000, "m"}, unit{1000, "s"}}) {
        if (length.count() != 0 && length.count() % ms == 0)
            return std::to_string(length.count() / ms) + name;
    }
    return std::to_string(length.count()) + "ms";
}

}  // namespace

backoff backoff::polynomial() {
    return {[](int retries, const std::exception_ptr&) { return polynomial_delay(retries, random_unit()); },
            "polynomial"};
}

backoff backoff::exponential(duration first, duration cap) {
    if (first <= duration::zero() || cap < first) {
        throw usage_error{"backoff::exponential(" + std::to_string(first.count()) + "ms, " +
                          std::to_string(cap.count()) +
                          "ms): the first delay must be > 0 and the cap >= first"};
    }
    return {[first, cap](int retries, const std::exception_ptr&) {
                return exponential_delay(first, cap, retries);
            },
            "exponential:" + in_short(first) + ':' + in_short(cap)};
}

backoff backoff::uniform(duration interval) {
    if (interval < duration::zero()) {
        throw usage_error{"backoff::uniform(" + std::to_string(interval.count()) +
                          "ms): the interval must be >= 0"};
    }
    return {[interval](int, const std::exception_ptr&) { return interval; }, "uniform:" + in_short(interval)};
}

}  // namespace errand
