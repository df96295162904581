#include "core/pace.hpp"

#include <algorithm>

namespace errand {
namespace {

using namespace std::chrono_literals;

duration spread(duration mean, std::size_t workers, double random) noexcept {
    const double factor = static_cast<double>(std::clamp<std::size_t>(workers, 1, 100'000)) * (0.5 + random);
    return duration{static_cast<duration::rep>(static_cast<double>(mean.count()) * factor)};
}

}  // namespace

duration look_interval(std::size_t workers, double random) noexcept {
    if (workers < 2) return 5s;
    return std::clamp<duration>(spread(1s, workers, random), 5s, 60s);
}

duration look_or_due(std::optional<duration> until_due, std::size_t workers, double random) noexcept {
    const auto look = look_interval(workers, random);
    return until_due ? std::min(look, *until_due) : look;
}

duration claim_interval(double random) noexcept {
    return 4s + duration{static_cast<duration::rep>(1000 * random)};
}

duration offer_interval(std::size_t workers, double random) noexcept {
    return std::clamp<duration>(spread(500ms, workers, random), 500ms, 10s);
}

duration recovery_interval(std::optional<duration> until_end, duration lease, std::size_t workers,
                           double random) noexcept {
    const duration longest = std::min(lease, std::clamp<duration>(spread(1s, workers, random), 10s, 60s));
    if (!until_end) return longest;
    const duration apart = std::min<duration>(20ms * std::clamp<std::size_t>(workers, 1, 25), 500ms);
    const duration jitter{static_cast<duration::rep>(static_cast<double>(apart.count()) * random)};
    return std::min(longest, std::max(*until_end, duration{0}) + 1ms + jitter);
}

duration cleaning_interval(std::size_t workers, double random) noexcept {
    return std::clamp<duration>(spread(30s, workers, random), 15s, 1h);
}

}  // namespace errand
