#include "cli/text.hpp"

#include "core/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace errand::cli {
namespace {

bool begins_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// Takes exactly so many digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) noexcept {
    if (text.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(0, digits)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, std::string_view any_of) noexcept {
    if (text.empty() || any_of.find(text.front()) == any_of.npos) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::chrono::sys_days> take_day(std::string_view& text) noexcept {
    const auto year = take_number(text, 4);
    if (!year || !take(text, "-")) return std::nullopt;
    const auto month = take_number(text, 2);
    if (!month || !take(text, "-")) return std::nullopt;
    const auto day = take_number(text, 2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date};
}

// ".25" is 250; digits beyond the milliseconds are dropped.
std::optional<int> take_fraction(std::string_view& text) noexcept {
    if (!take(text, ".,")) return 0;
    int value = 0;
    int scale = 100;
    std::size_t digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits) {
        value += (text.front() - '0') * scale;
        scale /= 10;
    }
    if (digits == 0) return std::nullopt;
    return value;
}

// "08:00", with seconds and fraction when they are there.
std::optional<duration> take_clock(std::string_view& text) noexcept {
    const auto hours = take_number(text, 2);
    if (!hours || *hours > 23 || !take(text, ":")) return std::nullopt;
    const auto minutes = take_number(text, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    duration clock = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    if (!take(text, ":")) return clock;
    const auto seconds = take_number(text, 2);
    if (!seconds || *seconds > 59) return std::nullopt;
    const auto fraction = take_fraction(text);
    if (!fraction) return std::nullopt;
    return clock + std::chrono::seconds{*seconds} + duration{*fraction};
}

// "Z" or "+02:00": how far the clock is before UTC.
std::optional<duration> take_zone(std::string_view& text) noexcept {
    if (take(text, "Zz")) return duration{0};
    const bool west = !text.empty() && text.front() == '-';
    if (!take(text, "+-")) return std::nullopt;
    const auto ahead = take_clock(text);
    if (!ahead) return std::nullopt;
    return west ? -*ahead : *ahead;
}

}  // namespace

std::string length_text(duration length) {
    struct unit {
        std::int64_t ms;
        char name;
    };
    constexpr std::array<unit, 4> units{{{86'400'000, 'd'}, {3'600'000, 'h'}, {60'000, 'm'}, {1000, 's'}}};
    const auto ms = std::max<std::int64_t>(length.count(), 0);
    if (ms < 1000) return std::to_string(ms) + "ms";
    std::size_t first = 0;
    while (ms < units[first].ms) ++first;
    std::string text = std::to_string(ms / units[first].ms) + units[first].name;
    if (first + 1 < units.size()) {
        const auto rest = ms % units[first].ms / units[first + 1].ms;
        if (rest > 0) text += ' ' + std::to_string(rest) + units[first + 1].name;
    }
    return text;
}

std::string instant_text(time_point at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{at - day};
    char text[48];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return text;
}

std::string from_now(time_point at, time_point now) {
    return at > now ? "in " + length_text(at - now) : length_text(now - at) + " ago";
}

std::optional<time_point> parse_instant(std::string_view text) noexcept {
    const auto day = take_day(text);
    if (!day || !take(text, "Tt ")) return std::nullopt;
    const auto clock = take_clock(text);
    if (!clock) return std::nullopt;
    const auto zone = take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    return time_point{*day} + *clock - *zone;
}

std::string tasks_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " task" : " tasks"); }

std::string plain(std::string_view text) {
    std::string out = repaired_utf8(text);
    for (std::size_t at = 0; at < out.size(); ++at) {
        const auto byte = static_cast<unsigned char>(out[at]);
        if (byte < 0x20 || byte == 0x7F) out[at] = ' ';
        // U+0080 to U+009F: a terminal may take them for the beginning of a sequence.
        if (byte == 0xC2 && static_cast<unsigned char>(out[at + 1]) < 0xA0) out.replace(at, 2, " ");
    }
    return out;
}

std::size_t width_of(std::string_view text) noexcept {
    std::size_t width = 0;
    for (const char c : text) width += begins_character(c) ? 1U : 0U;
    return width;
}

std::string cut(std::string_view text, std::size_t width) {
    if (width_of(text) <= width) return std::string{text};
    if (width == 0) return {};
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        if (begins_character(text[end]) && ++seen == width) break;
    }
    return std::string{text.substr(0, end)} + "…";
}

}  // namespace errand::cli
