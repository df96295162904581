// A rate as a gate (GCRA): how many starts it lets through now, from one number that is kept of the past.
//
// Invariant: in no half-open window of `per` it lets more than `count` through, whenever it is asked, as long as the clock does
// not go back.
#pragma once

#include <errand/policy.hpp>

#include <cstdint>

namespace errand {

// What follows from a rate: spacing is `round` / `refills`. Times in nanoseconds.
struct rate_pace {
    std::int64_t per = 0;
    std::int64_t round = 0;  // in which `refills` come back: `per`, or longer where lateness is allowed for
    std::int64_t refills = 1;
    std::int64_t burst = 1;      // starts at one instant
    std::int64_t tolerance = 0;  // that the kept time may be ahead of now
};

// Who may start comes at that instant only where somebody moves the clock.
enum class arrival : std::uint8_t { punctual, late };

// Throws usage_error, which names the member and its value. `burst` 0: none given.
void check_rate(std::string_view member, const rate_limit& rate, int burst);

// Without a burst of one's own, as many at once as fall into 10 ms: so below 100 a second starts are evenly spaced, at the full
// rate; above, a claim need not come for each, for at most one in a hundred less.
//
// Those that are evenly spaced would each be late by what the one before it was, and a twentieth of the rate would be lost so. Where
// they come late, a start that is late by no more than five thousandths of `per`, 5 ms at most, does not move the next one. For that,
// and for as much as two thousandths by which they may come to their handlers at another pace, `round` is longer than `per`.
rate_pace pace_of(const rate_limit& rate, int burst, arrival how = arrival::punctual);

struct rate_turn {
    std::int64_t starts = 0;    // <= wanted
    std::int64_t kept = 0;      // to be kept, in place of the last one
    std::int64_t opens_at = 0;  // the next start; not later than now: another one could start at once
};

// Times in nanoseconds since 1970, since rounding a spacing of 100 us to whole ones would cost a hundredth of the rate. `kept`:
// of the last turn, 0 before the first. Where there is no burst, who comes later than the tolerance begins anew, as after a rest: so
// none follows it at less than the spacing.
rate_turn take_starts(const rate_pace& pace, std::int64_t kept, std::int64_t now, std::int64_t wanted);

// What is kept of starts under another rule becomes min(kept + grown, latest): so no window holds more than the
// largest count of the rules that were in force in it, as far as they are of the same time. Nanoseconds.
struct rate_change {
    std::int64_t grown = 0;  // a larger tolerance is none for what comes after a start under a smaller one
    std::int64_t latest = 0;
};
rate_change change_of(const rate_pace& before, const rate_pace& after, std::int64_t now);

// What one of several shards may start of a rate: `share` of its count. Nanoseconds.
struct share_pace {
    std::int64_t spacing = 0;
    std::int64_t tolerance = 0;
};

// As many at once come back in the same time whatever the share is, and a larger one has no longer spacing. So a share that shrinks
// and grows again lets no more through in any window than the largest of that window would have done alone. They may come late.
// `unit`: both are so many times it.
share_pace pace_of_share(const rate_limit& whole, int share, std::int64_t unit = 1);

}  // namespace errand
