#include "core/cron_line.hpp"

#include <algorithm>
#include <bit>

namespace errand {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::minutes;
using std::chrono::months;
using std::chrono::seconds;
using std::chrono::year;
using std::chrono::year_month;
using std::chrono::year_month_day;

constexpr int horizon_months = 41 * 12;
// The calendar in which lines are looked for; whatever is asked beyond has no answer.
constexpr local_seconds calendar_begins{local_days{year{-9000} / 1 / 1}};
constexpr local_seconds calendar_ends{local_days{year{9000} / 1 / 1}};

bool holds_bit(std::uint64_t set, int bit) { return (set >> bit & 1) != 0; }
std::uint64_t bits_below(std::uint64_t set, int bit) { return set & ((std::uint64_t{1} << bit) - 1); }
std::uint64_t bits_from(std::uint64_t set, int bit) {
    return bit > 63 ? 0 : set & ~((std::uint64_t{1} << bit) - 1);
}
int lowest_bit(std::uint64_t set) { return std::countr_zero(set); }
int highest_bit(std::uint64_t set) { return 63 - std::countl_zero(set); }

struct clock_time {
    explicit clock_time(seconds of_day)
        : hour{static_cast<int>(of_day / hours{1})},
          minute{static_cast<int>(of_day % hours{1} / minutes{1})},
          second{static_cast<int>((of_day % minutes{1}).count())} {}
    int hour, minute, second;
};

seconds time_of_day(int hour, int minute, int second) {
    return hours{hour} + minutes{minute} + seconds{second};
}

int month_number(year_month of) { return static_cast<int>(static_cast<unsigned>(of.month())); }
int day_number(year_month_day of) { return static_cast<int>(static_cast<unsigned>(of.day())); }
local_days local_day(year_month month, int day) { return local_days{month / day}; }

}  // namespace

std::uint32_t cron_line::days_in(year_month month) const {
    return holds_bit(months_, month_number(month)) ? days_.in(month) : 0;
}

std::optional<seconds> cron_line::first_time(seconds least) const {
    const clock_time at{least};
    if (holds_bit(hours_, at.hour)) {
        if (const auto later = bits_from(seconds_, at.second); later != 0 && holds_bit(minutes_, at.minute))
            return time_of_day(at.hour, at.minute, lowest_bit(later));
        if (const auto later = bits_from(minutes_, at.minute + 1))
            return time_of_day(at.hour, lowest_bit(later), lowest_bit(seconds_));
    }
    if (const auto later = bits_from(hours_, at.hour + 1))
        return time_of_day(lowest_bit(later), lowest_bit(minutes_), lowest_bit(seconds_));
    return std::nullopt;
}

std::optional<seconds> cron_line::last_time(seconds most) const {
    const clock_time at{most};
    if (holds_bit(hours_, at.hour)) {
        if (const auto earlier = bits_below(seconds_, at.second + 1);
            earlier != 0 && holds_bit(minutes_, at.minute))
            return time_of_day(at.hour, at.minute, highest_bit(earlier));
        if (const auto earlier = bits_below(minutes_, at.minute))
            return time_of_day(at.hour, highest_bit(earlier), highest_bit(seconds_));
    }
    if (const auto earlier = bits_below(hours_, at.hour))
        return time_of_day(highest_bit(earlier), highest_bit(minutes_), highest_bit(seconds_));
    return std::nullopt;
}

std::optional<local_seconds> cron_line::first_match(local_seconds least) const {
    if (least >= calendar_ends) return std::nullopt;
    least = std::max(least, calendar_begins);
    const auto today = std::chrono::floor<days>(least);
    const year_month_day date{today};
    year_month month = date.year() / date.month();
    auto left = bits_from(days_in(month), day_number(date));
    if (holds_bit(left, day_number(date))) {
        if (const auto time = first_time(least - today)) return today + *time;
        left = bits_from(left, day_number(date) + 1);
    }
    for (int looked = 0; left == 0; left = days_in(month)) {
        if (++looked > horizon_months) return std::nullopt;
        month += months{1};
    }
    return local_day(month, lowest_bit(left)) + *first_time(seconds{0});
}

std::optional<local_seconds> cron_line::last_match(local_seconds most) const {
    if (most < calendar_begins) return std::nullopt;
    most = std::min(most, calendar_ends);
    const auto today = std::chrono::floor<days>(most);
    const year_month_day date{today};
    year_month month = date.year() / date.month();
    auto left = bits_below(days_in(month), day_number(date) + 1);
    if (holds_bit(left, day_number(date))) {
        if (const auto time = last_time(most - today)) return today + *time;
        left = bits_below(left, day_number(date));
    }
    for (int looked = 0; left == 0; left = days_in(month)) {
        if (++looked > horizon_months) return std::nullopt;
        month -= months{1};
    }
    return local_day(month, highest_bit(left)) + *last_time(days{1} - seconds{1});
}

std::int64_t cron_line::times_before(seconds least) const {
    const clock_time at{least};
    const std::int64_t in_minute = std::popcount(seconds_), in_hour = std::popcount(minutes_) * in_minute;
    auto count = std::popcount(bits_below(hours_, at.hour)) * in_hour;
    if (!holds_bit(hours_, at.hour)) return count;
    count += std::popcount(bits_below(minutes_, at.minute)) * in_minute;
    return holds_bit(minutes_, at.minute) ? count + std::popcount(bits_below(seconds_, at.second)) : count;
}

// from <= day < to
std::int64_t cron_line::days_between(local_days begin, local_days end) const {
    if (begin >= end) return 0;
    const year_month_day first{begin}, after{end};
    const auto last_month = after.year() / after.month();
    std::int64_t count = 0;
    for (auto month = first.year() / first.month(); month <= last_month; month += months{1}) {
        std::uint64_t set = days_in(month);
        if (month == last_month) set = bits_below(set, day_number(after));
        if (month == first.year() / first.month()) set = bits_from(set, day_number(first));
        count += std::popcount(set);
    }
    return count;
}

std::int64_t cron_line::count_matches(local_seconds begin, local_seconds end) const {
    begin = std::clamp(begin, calendar_begins, calendar_ends);
    end = std::clamp(end, begin, calendar_ends);
    const auto first = std::chrono::floor<days>(begin), last = std::chrono::floor<days>(end);
    const std::int64_t in_day =
        std::int64_t{std::popcount(hours_)} * std::popcount(minutes_) * std::popcount(seconds_);
    auto count = days_between(first, last) * in_day;
    // The part of the first day that lies before, and of the last day.
    if (days_between(first, first + days{1}) != 0) count -= times_before(begin - first);
    if (days_between(last, last + days{1}) != 0) count += times_before(end - last);
    return count;
}

}  // namespace errand
