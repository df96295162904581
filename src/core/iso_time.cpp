#include "core/iso_time.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace errand {
namespace {

using std::chrono::year_month_day;

class iso_scanner {
public:
    explicit iso_scanner(std::string_view text) : rest_{text} {}

    bool at_end() const noexcept { return rest_.empty(); }

    // The character taken; 0: it is none of these.
    char take(std::string_view any_of) noexcept {
        if (rest_.empty() || any_of.find(rest_.front()) == any_of.npos) return 0;
        const char taken = rest_.front();
        rest_.remove_prefix(1);
        return taken;
    }

    std::optional<std::chrono::sys_days> date() noexcept {
        const auto year = number(4, 9999);
        if (!year || !take("-")) return std::nullopt;
        const auto month = number(2, 12);
        if (!month || !take("-")) return std::nullopt;
        const auto day = number(2, 31);
        if (!day) return std::nullopt;
        const year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                  std::chrono::day{static_cast<unsigned>(*day)}};
        if (!date.ok()) return std::nullopt;
        return std::chrono::sys_days{date};
    }

    std::optional<duration> clock() noexcept {
        const auto hours = number(2, 24);
        if (!hours || !take(":")) return std::nullopt;
        const auto minutes = number(2, 59);
        if (!minutes) return std::nullopt;
        const auto clock = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
        if (!take(":")) return clock;
        const auto seconds = number(2, 60);
        const auto ms = seconds && take(".,") ? fraction() : 0;
        if (!seconds || !ms) return std::nullopt;
        return clock + std::chrono::seconds{*seconds} + duration{*ms};
    }

    // "Z", "+02", "+0200", "+02:00".
    std::optional<duration> offset() noexcept {
        if (take("Zz")) return duration{0};
        const char sign = take("+-");
        const auto hours = sign ? number(2, 23) : std::nullopt;
        if (!hours) return std::nullopt;
        const bool more = take(":") || !at_end();
        const auto minutes = more ? number(2, 59) : 0;
        if (!minutes) return std::nullopt;
        const duration ahead = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
        return sign == '-' ? -ahead : ahead;
    }

private:
    // Exactly so many digits.
    std::optional<int> number(std::size_t digits, int most) noexcept {
        if (rest_.size() < digits) return std::nullopt;
        int value = 0;
        for (const char c : rest_.substr(0, digits)) {
            if (c < '0' || c > '9') return std::nullopt;
            value = value * 10 + (c - '0');
        }
        rest_.remove_prefix(digits);
        return value <= most ? std::optional{value} : std::nullopt;
    }

    // ".25" is 250.
    std::optional<int> fraction() noexcept {
        int ms = 0, unit = 100;
        bool any = false;
        for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1)) {
            ms += (rest_.front() - '0') * unit;
            unit /= 10;
            any = true;
        }
        return any ? std::optional{ms} : std::nullopt;
    }

    std::string_view rest_;
};

// Of a number that has no more digits than that. Each task that is given out over HTTP says three times.
void append_number(std::string& to, int value, std::size_t digits) {
    to.append(digits, '0');
    for (auto at = to.rbegin(); value > 0; ++at, value /= 10) *at = static_cast<char>('0' + value % 10);
}

}  // namespace

std::string iso_date_text(std::chrono::sys_days day) {
    const year_month_day date{day};
    const auto year = static_cast<int>(date.year());
    std::string text;
    if (year >= 0 && year <= 9999) {
        append_number(text, year, 4);
    } else {
        char digits[16];
        std::snprintf(digits, sizeof digits, "%04d", year);
        text = digits;
    }
    text += '-';
    append_number(text, static_cast<int>(static_cast<unsigned>(date.month())), 2);
    text += '-';
    append_number(text, static_cast<int>(static_cast<unsigned>(date.day())), 2);
    return text;
}

std::string iso_time_text(time_point at, char separator) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::hh_mm_ss clock{at - day};
    auto text = iso_date_text(day);
    text += separator;
    append_number(text, static_cast<int>(clock.hours().count()), 2);
    text += ':';
    append_number(text, static_cast<int>(clock.minutes().count()), 2);
    text += ':';
    append_number(text, static_cast<int>(clock.seconds().count()), 2);
    text += '.';
    append_number(text, static_cast<int>(clock.subseconds().count()), 3);
    return text;
}

std::optional<iso_time> scan_iso_time(std::string_view text) noexcept {
    iso_scanner in{text};
    const auto day = in.date();
    if (!day) return std::nullopt;
    iso_time found{.day = *day, .clock = {}, .ahead = {}};
    if (in.at_end()) return found;
    if (!in.take("Tt ") || !(found.clock = in.clock())) return std::nullopt;
    if (in.at_end()) return found;
    if (!(found.ahead = in.offset()) || !in.at_end()) return std::nullopt;
    return found;
}

}  // namespace errand
