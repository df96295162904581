// The days of a month that the two day fields of a cron line name.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace errand {

// Bit n of a set stands for n.
struct cron_days {
    std::uint32_t of_month = 0;     // days 1..31
    std::uint32_t before_last = 0;  // 0..30 days before the last one
    std::uint32_t nearest = 0;  // the weekday (Monday to Friday) of the month that is nearest to day 1..31
    bool last_weekday = false;

    std::uint8_t of_week = 0;           // 0 = Sunday .. 6
    std::uint8_t last_of_week = 0;      // the last such day of the month
    std::array<std::uint8_t, 7> nth{};  // of a day of the week: the 1st..5th one

    // Both fields must name the day; else one of them is enough.
    bool both = true;

    // Days 1..31 as bits.
    std::uint32_t in(std::chrono::year_month month) const;
};

}  // namespace errand
