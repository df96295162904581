#include "core/cron_days.hpp"

namespace errand {
namespace {

// What a month is made of, as far as days are counted in it.
struct month_shape {
    explicit month_shape(std::chrono::year_month month)
        : length{static_cast<unsigned>((month / std::chrono::last).day())},
          first{std::chrono::weekday{std::chrono::sys_days{month / 1}}.c_encoding()} {}

    unsigned weekday_of(unsigned day) const { return (first + day - 1) % 7; }
    unsigned first_on(unsigned weekday) const { return 1 + (weekday + 7 - first) % 7; }
    std::uint32_t all() const { return static_cast<std::uint32_t>((std::uint64_t{2} << length) - 2); }

    // Never another month's day.
    unsigned nearest_weekday(unsigned day) const {
        const auto weekday = weekday_of(day);
        if (weekday == 6) return day > 1 ? day - 1 : day + 2;
        if (weekday == 0) return day < length ? day + 1 : day - 2;
        return day;
    }

    unsigned length;
    unsigned first;  // day of the week of the 1st
};

std::uint32_t days_by_number(const cron_days& rule, const month_shape& month) {
    auto days = rule.of_month;
    for (unsigned n = 0; n < month.length; ++n) {
        if ((rule.before_last >> n & 1) != 0) days |= 1U << (month.length - n);
    }
    for (unsigned n = 1; n <= month.length; ++n) {
        if ((rule.nearest >> n & 1) != 0) days |= 1U << month.nearest_weekday(n);
    }
    if (rule.last_weekday) {
        auto day = month.length;
        while (month.weekday_of(day) % 6 == 0) --day;
        days |= 1U << day;
    }
    return days & month.all();
}

std::uint32_t days_by_week(const cron_days& rule, const month_shape& month) {
    constexpr std::uint64_t every_seventh = 1 | 1U << 7 | 1U << 14 | 1U << 21 | 1U << 28;
    std::uint64_t days = 0;
    for (unsigned weekday = 0; weekday < 7; ++weekday) {
        const auto first = month.first_on(weekday);
        if ((rule.of_week >> weekday & 1) != 0) days |= every_seventh << first;
        if ((rule.last_of_week >> weekday & 1) != 0)
            days |= std::uint64_t{1} << (first + (month.length - first) / 7 * 7);
        for (unsigned k = 1; k <= 5; ++k) {
            if ((rule.nth[weekday] >> k & 1) != 0) days |= std::uint64_t{1} << (first + 7 * (k - 1));
        }
    }
    return static_cast<std::uint32_t>(days) & month.all();
}

}  // namespace

std::uint32_t cron_days::in(std::chrono::year_month month) const {
    const month_shape shape{month};
    const auto by_number = days_by_number(*this, shape), by_week = days_by_week(*this, shape);
    return both ? by_number & by_week : by_number | by_week;
}

}  // namespace errand
