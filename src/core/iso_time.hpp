// Dates and times as people and logs write them (ISO 8601). Pure; in UTC unless an offset is said.
#pragma once

#include <errand/time.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// "2026-12-01"
std::string iso_date_text(std::chrono::sys_days day);

// "2026-12-01T08:00:00.000": to the millisecond, in UTC, without a word of that.
std::string iso_time_text(time_point at, char separator = 'T');

// What a text says; a reader decides which parts must be there.
struct iso_time {
    std::chrono::sys_days day;
    std::optional<duration> clock;  // since midnight; 24:00:00 and a leap second count
    std::optional<duration> ahead;  // of UTC
};

// A date; then maybe, behind a T or a space, a clock with or without seconds and their fraction (what is finer than a
// millisecond is cut off), and its offset: "2026-12-01", "2026-12-01T08:00Z", "2026-12-01 10:00:00.123456+02". Nullopt for
// anything else.
std::optional<iso_time> scan_iso_time(std::string_view text) noexcept;

}  // namespace errand
