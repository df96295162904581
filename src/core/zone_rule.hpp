// What a POSIX TZ string says ("EST5EDT,M3.2.0,M11.1.0"): a standard time and, where there is one, a daylight saving time
// with the days of each year on which it begins and ends. A zone's file ends with one, which holds from its last
// transition on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// Nothing before or after is asked for: sums with an offset stay far from overflow.
inline constexpr std::chrono::sys_seconds beginning_of_time{std::chrono::seconds{-(std::int64_t{1} << 60)}};
inline constexpr std::chrono::sys_seconds end_of_time{std::chrono::seconds{std::int64_t{1} << 60}};

// One of the local times that a zone has had.
struct zone_type {
    std::chrono::seconds offset{0};  // local time - UTC, less than 26 hours either way
    bool dst = false;
    std::string abbreviation;
};

// Instants of one and the same local time.
struct zone_span {
    std::chrono::seconds offset{0};
    std::chrono::sys_seconds begin = beginning_of_time, end = end_of_time;  // begin <= instant < end
    bool dst = false;
    std::string_view abbreviation;  // lives as long as the zone
};

zone_span span_of(const zone_type& type, std::chrono::sys_seconds begin, std::chrono::sys_seconds end);

class zone_rule {
public:
    // Throws bad_data, whose text goes on from "the rule ...".
    static zone_rule parse(std::string_view text);

    // begin <= at < end.
    zone_span at(std::chrono::sys_seconds at) const;

private:
    friend class zone_rule_reader;

    // A day of each year, and the time of that day at which clocks are changed.
    struct change {
        enum class kind : unsigned char { without_leap_day, with_leap_day, weekday };
        kind by = kind::weekday;
        int month = 1, week = 1, day = 0;  // month and week: of a weekday alone
        std::chrono::seconds time{std::chrono::hours{2}};

        std::chrono::local_seconds in(std::chrono::year of) const;
    };

    zone_type standard_;
    std::optional<zone_type> daylight_;
    change begins_, ends_;  // of daylight_
};

}  // namespace errand
