// Times, lengths of time and words of people as text for a terminal, and back. Pure.
#pragma once

#include <errand/time.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace errand::cli {

// "850ms", "12s", "3m 20s", "2h 5m", "4d 3h": the two largest units. Negative counts as none.
std::string length_text(duration length);

// "3m ago", "in 5m".
std::string from_now(time_point at, time_point now);

// RFC 3339 in UTC, to the millisecond: "2026-12-01T08:00:00.000Z".
std::string instant_text(time_point at);

// "2026-12-01T08:00:00Z": RFC 3339 with a zone; seconds and their fractions may be left out, a space may stand for the T.
std::optional<time_point> parse_instant(std::string_view text) noexcept;

// "1 task", "2 tasks".
std::string tasks_text(std::size_t n);

// "a, b, c"
template <class Words>
std::string joined(const Words& words, std::string_view between) {
    std::string all;
    for (const auto& one : words) {
        if (!all.empty()) all += between;
        all += one;
    }
    return all;
}

// One line that a terminal shows as it is: control characters, which texts of handlers may bring along, are spaces.
std::string plain(std::string_view text);

// How many characters (code points) it has.
std::size_t width_of(std::string_view text) noexcept;

// At most so many characters; what was cut off is "…".
std::string cut(std::string_view text, std::size_t width);

}  // namespace errand::cli
