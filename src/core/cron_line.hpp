// A cron line: which times of the calendar it names. Zones are no concern of it (cron_ticks).
#pragma once

#include "core/cron_days.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// What H stands for follows from it: the same everywhere, and different for most schedules.
struct cron_seed {
    std::string_view handler;
    std::string_view key;
};

class cron_line {
public:
    // Throws usage_error, which names the field and its value; also for a line that names no day that ever comes.
    static cron_line parse(std::string_view text, const cron_seed& seed);

    // As it was given.
    const std::string& text() const noexcept { return text_; }

    // Minute or hour begin with `*`: it follows the time that passes. Else it names times of day, each of which comes once.
    bool follows_elapsed_time() const noexcept { return follows_elapsed_time_; }

    // The first time from `least` on; nullopt when there is none in 41 years. (The rarest day, 29 February on a certain day of
    // the week, may take 40.)
    std::optional<std::chrono::local_seconds> first_match(std::chrono::local_seconds least) const;
    // The last time until `most`, itself included.
    std::optional<std::chrono::local_seconds> last_match(std::chrono::local_seconds most) const;
    // How many there are: from <= time < to.
    std::int64_t count_matches(std::chrono::local_seconds from, std::chrono::local_seconds to) const;

private:
    friend class cron_reader;

    std::uint32_t days_in(std::chrono::year_month month) const;
    std::optional<std::chrono::seconds> first_time(std::chrono::seconds least) const;
    std::optional<std::chrono::seconds> last_time(std::chrono::seconds most) const;
    std::int64_t times_before(std::chrono::seconds least) const;
    std::int64_t days_between(std::chrono::local_days from, std::chrono::local_days to) const;

    std::string text_;
    std::uint64_t seconds_ = 1, minutes_ = 0;  // never empty, nor is another of these
    std::uint32_t hours_ = 0, months_ = 0;
    cron_days days_;
    bool follows_elapsed_time_ = false;
};

}  // namespace errand
