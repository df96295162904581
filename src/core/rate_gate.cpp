#include "core/rate_gate.hpp"

#include <errand/error.hpp>

#include <algorithm>
#include <string>

namespace errand {
namespace {

__extension__ using wide_number = __int128;

constexpr int most_starts = 1'000'000;
constexpr duration longest_rate = std::chrono::days{366};
constexpr std::int64_t claim_cadence = 10'000'000;
// What lateness may take of a rate without a burst: together less than a hundredth.
constexpr std::int64_t most_late = 5'000'000, most_uneven = 2'000'000;
// What is kept stays a number of 64 bits.
constexpr std::int64_t century = std::chrono::nanoseconds{std::chrono::days{36'500}}.count();

// The time in which so many come back; rounded up, so that what is lost by rounding is never a start too many.
std::int64_t time_of(const rate_pace& pace, std::int64_t starts) {
    const auto product = wide_number{starts} * pace.round;
    return static_cast<std::int64_t>((product + pace.refills - 1) / pace.refills);
}

// How many come back in that time.
std::int64_t starts_in(const rate_pace& pace, std::int64_t time) {
    return static_cast<std::int64_t>(wide_number{time} * pace.refills / pace.round);
}

}  // namespace

void check_rate(std::string_view member, const rate_limit& rate, int burst) {
    const auto refuse = [member](const std::string& what, const std::string& rule) {
        throw usage_error{std::string{member} + what + ": must be " + rule};
    };
    if (rate.count < 1 || rate.count > most_starts)
        refuse(".count = " + std::to_string(rate.count), "1.." + std::to_string(most_starts));
    if (rate.per < duration{1} || rate.per > longest_rate)
        refuse(".per = " + std::to_string(rate.per.count()) + "ms", "1ms..366 days");
    if (burst < 0 || burst > rate.count)
        refuse(".burst = " + std::to_string(burst), "0.." + std::to_string(rate.count) + ", its count");
    const auto pace = pace_of(rate, burst);
    if (wide_number{pace.burst} * pace.per / pace.refills > century)
        refuse(".burst = " + std::to_string(burst), "less: so many at once would not be back in a century");
}

rate_pace pace_of(const rate_limit& rate, int burst, arrival how) {
    rate_pace pace;
    pace.per = std::chrono::nanoseconds{rate.per}.count();
    pace.burst = burst > 0 ? burst : 1 + std::int64_t{rate.count} * claim_cadence / pace.per;
    pace.burst = std::min<std::int64_t>(pace.burst, rate.count);
    pace.refills = rate.count - pace.burst + 1;
    pace.tolerance = static_cast<std::int64_t>(wide_number{pace.burst - 1} * pace.per / pace.refills);
    pace.round = pace.per;
    if (how == arrival::late && burst == 0 && pace.burst == 1) {
        pace.tolerance = std::min(pace.per * 5 / 1000, most_late);
        pace.round += pace.tolerance + std::min(pace.per * 2 / 1000, most_uneven);
    }
    return pace;
}

rate_turn take_starts(const rate_pace& pace, std::int64_t kept, std::int64_t now, std::int64_t wanted) {
    // Farther ahead only a clock that went back can leave it; it must not close the gate until then.
    const auto latest = now + pace.tolerance + std::max(pace.per, time_of(pace, 1));
    auto from = std::clamp(kept, now, latest);
    if (pace.burst == 1 && kept < now) from += pace.tolerance;
    const auto room = now + pace.tolerance - from;
    const auto open = room < 0 ? 0 : starts_in(pace, room) + 1;
    rate_turn turn;
    turn.starts = std::clamp<std::int64_t>(wanted, 0, open);
    turn.kept = turn.starts > 0 ? from + time_of(pace, turn.starts) : std::min(kept, latest);
    turn.opens_at = turn.kept - pace.tolerance;
    return turn;
}

rate_change change_of(const rate_pace& before, const rate_pace& after, std::int64_t now) {
    const auto grown = after.tolerance - before.tolerance, spacing = time_of(after, 1);
    // When a whole window has passed, whatever has been started before is out of it.
    auto closed = std::max(spacing, after.per);
    if (spacing < time_of(before, 1)) closed = std::min(closed, spacing + std::max<std::int64_t>(-grown, 0));
    return {.grown = std::max<std::int64_t>(grown, 0), .latest = now + after.tolerance + closed};
}

share_pace pace_of_share(const rate_limit& whole, int share, std::int64_t unit) {
    const auto pace = pace_of(whole, whole.burst, arrival::late);
    const auto rounded_up = [unit](std::int64_t time, std::int64_t parts) {
        return ((time + parts - 1) / parts + unit - 1) / unit * unit;
    };
    if (pace.burst == 1)
        return {.spacing = rounded_up(pace.round, share), .tolerance = pace.tolerance / unit * unit};
    const auto tolerance = (pace.burst - 1) * rounded_up(pace.per, pace.refills);
    // `share` of them fit into the time and the tolerance.
    return {.spacing = rounded_up(pace.per + tolerance, share), .tolerance = tolerance};
}

}  // namespace errand
