#include "sql/sql_time.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace errand {
namespace {

using std::chrono::milliseconds;

class scanner {
public:
    explicit scanner(std::string_view text) : rest_{text} {}

    bool at_end() const { return rest_.empty(); }
    bool skip(std::string_view any_of) {
        if (rest_.empty() || any_of.find(rest_.front()) == any_of.npos) return false;
        last_ = rest_.front();
        rest_.remove_prefix(1);
        return true;
    }
    char last() const { return last_; }
    // Exactly so many digits.
    std::optional<int> digits(std::size_t count) {
        if (rest_.size() < count) return std::nullopt;
        int number = 0;
        for (const char c : rest_.substr(0, count)) {
            if (c < '0' || c > '9') return std::nullopt;
            number = number * 10 + (c - '0');
        }
        rest_.remove_prefix(count);
        return number;
    }
    // Any number of digits, as thousandths.
    std::int64_t fraction() {
        std::int64_t ms = 0;
        int unit = 100;
        for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1)) {
            ms += (rest_.front() - '0') * unit;
            unit /= 10;
        }
        return ms;
    }

private:
    std::string_view rest_;
    char last_ = 0;
};

std::optional<std::int64_t> time_of_day(scanner& in) {
    const auto hour = in.digits(2);
    if (!hour || !in.skip(":")) return std::nullopt;
    const auto minute = in.digits(2);
    if (!minute) return std::nullopt;
    std::int64_t second = 0, ms = 0;
    if (in.skip(":")) {
        const auto read = in.digits(2);
        if (!read) return std::nullopt;
        second = *read;
        if (in.skip(".")) ms = in.fraction();
    }
    if (*hour > 24 || *minute > 59 || second > 60) return std::nullopt;
    return ((*hour * 60 + *minute) * 60 + second) * 1000 + ms;
}

std::optional<std::int64_t> offset(scanner& in) {
    if (in.at_end() || in.skip("Z")) return 0;
    if (!in.skip("+-")) return std::nullopt;
    const int sign = in.last() == '-' ? -1 : 1;
    const auto hours = in.digits(2);
    if (!hours) return std::nullopt;
    in.skip(":");
    const auto minutes = in.at_end() ? std::optional{0} : in.digits(2);
    if (!minutes) return std::nullopt;
    return sign * (*hours * 60 + *minutes) * std::int64_t{60'000};
}

}  // namespace

std::string sql_time_text(std::int64_t ms_since_1970) {
    using namespace std::chrono;
    const sys_time<milliseconds> at{milliseconds{ms_since_1970}};
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{at - day};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d.%03d",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return text.data();
}

std::optional<std::int64_t> parse_sql_time(std::string_view text) noexcept {
    scanner in{text};
    const auto year = in.digits(4);
    if (!year || !in.skip("-")) return std::nullopt;
    const auto month = in.digits(2);
    if (!month || !in.skip("-")) return std::nullopt;
    const auto day = in.digits(2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    const milliseconds midnight = std::chrono::sys_days{date}.time_since_epoch();
    if (in.at_end()) return midnight.count();
    if (!in.skip(" T")) return std::nullopt;
    const auto time = time_of_day(in);
    if (!time) return std::nullopt;
    const auto ahead = offset(in);
    if (!ahead || !in.at_end()) return std::nullopt;
    return midnight.count() + *time - *ahead;
}

}  // namespace errand
