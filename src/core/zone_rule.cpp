#include "core/zone_rule.hpp"

#include <algorithm>
#include <array>

namespace errand {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year;

// Rules are followed between these; before and after it is standard time.
constexpr sys_seconds first_ruled{sys_days{year{-9999} / 1 / 1}};
constexpr sys_seconds last_ruled{sys_days{year{9999} / 1 / 1}};

struct clock_change {
    sys_seconds when;
    bool to_daylight = false;
};

}  // namespace

zone_span span_of(const zone_type& type, sys_seconds begin, sys_seconds end) {
    return {.offset = type.offset,
            .begin = begin,
            .end = end,
            .dst = type.dst,
            .abbreviation = type.abbreviation};
}

local_seconds zone_rule::change::in(year of) const {
    const local_days new_year{of / 1 / 1};
    switch (by) {
    case kind::without_leap_day: return new_year + days{day - 1 + (of.is_leap() && day >= 60 ? 1 : 0)} + time;
    case kind::with_leap_day: return new_year + days{day} + time;
    case kind::weekday: break;
    }
    const auto month_of = of / month;
    const std::chrono::weekday on{static_cast<unsigned>(day)};
    if (week == 5) return local_days{month_of / on[std::chrono::last]} + time;
    return local_days{month_of / on[static_cast<unsigned>(week)]} + time;
}

zone_span zone_rule::at(sys_seconds at) const {
    if (!daylight_) return span_of(standard_, beginning_of_time, end_of_time);
    if (at < first_ruled) return span_of(standard_, beginning_of_time, first_ruled);
    if (at >= last_ruled) return span_of(standard_, last_ruled, end_of_time);
    // A day of the rule may lie a week beyond its year, so two years before and after are needed.
    const std::chrono::year_month_day today{std::chrono::floor<days>(at)};
    std::array<clock_change, 10> changes;
    auto* next = changes.begin();
    for (year one = today.year() - std::chrono::years{2}; next != changes.end(); ++one) {
        *next++ = {sys_seconds{(begins_.in(one)-standard_.offset).time_since_epoch()}, true};
        *next++ = {sys_seconds{(ends_.in(one)-daylight_->offset).time_since_epoch()}, false};
    }
    // Where one year's end is the next one's begin it is daylight saving time all the year.
    std::ranges::sort(changes, [](const clock_change& a, const clock_change& b) {
        return a.when != b.when ? a.when < b.when : a.to_daylight < b.to_daylight;
    });
    const auto* after = std::ranges::upper_bound(changes, at, {}, &clock_change::when);
    const auto& before = *(after - 1);
    return span_of(before.to_daylight ? *daylight_ : standard_, std::max(before.when, first_ruled),
                   std::min(after->when, last_ruled));
}

}  // namespace errand
