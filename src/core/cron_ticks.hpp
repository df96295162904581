// The instants at which a cron line ticks in a time zone.
//
// A line whose minute or hour begin with `*` follows the time that passes: it ticks whenever clocks show one of its times,
// so not at those in a gap, and twice at those in an overlap. Any other names times of day, each of which comes once: at
// the first instant at which clocks show it or a later one, which in a gap is its end.
#pragma once

#include "core/cron_line.hpp"
#include "core/time_zone.hpp"

namespace errand {

class cron_ticks {
public:
    cron_ticks(cron_line line, std::shared_ptr<const time_zone> zone)
        : line_{std::move(line)}, zone_{std::move(zone)} {}

    // The first tick after that instant; nullopt when there is none in 41 years.
    std::optional<std::chrono::sys_seconds> next(std::chrono::sys_seconds after) const;
    // The last tick before that instant; nullopt when there was none in 41 years.
    std::optional<std::chrono::sys_seconds> previous(std::chrono::sys_seconds before) const;
    // How many ticks there are: from <= tick < to. Grows with the changes of clocks and the months in between, never with
    // the ticks.
    std::int64_t count(std::chrono::sys_seconds from, std::chrono::sys_seconds to) const;

    const cron_line& line() const noexcept { return line_; }
    const time_zone& zone() const noexcept { return *zone_; }

private:
    std::optional<std::chrono::sys_seconds> next_elapsed(std::chrono::sys_seconds from) const;
    std::optional<std::chrono::sys_seconds> previous_elapsed(std::chrono::sys_seconds until) const;
    std::int64_t count_elapsed(std::chrono::sys_seconds from, std::chrono::sys_seconds to) const;
    std::int64_t repeated_in_gaps(std::chrono::sys_seconds from, std::chrono::sys_seconds to) const;

    cron_line line_;
    std::shared_ptr<const time_zone> zone_;
};

}  // namespace errand
