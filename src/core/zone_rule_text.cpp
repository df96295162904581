// Reading of a POSIX TZ string, with what RFC 9636 adds: names in <>, and times of change from -167 to 167 hours.
#include <errand/error.hpp>

#include "core/json_quote.hpp"
#include "core/zone_rule.hpp"

#include <algorithm>

namespace errand {

class zone_rule_reader {
public:
    explicit zone_rule_reader(std::string_view text) : text_{text}, left_{text} {}

    zone_rule read() {
        zone_rule rule;
        rule.standard_ = {.offset = {}, .dst = false, .abbreviation = name()};
        rule.standard_.offset = -time(24);
        if (left_.empty()) return rule;
        zone_type daylight{.offset = {}, .dst = true, .abbreviation = name()};
        daylight.offset = rule.standard_.offset + std::chrono::hours{1};
        if (!left_.empty() && left_.front() != ',') daylight.offset = -time(24);
        rule.daylight_ = daylight;
        // What a daylight saving time without days means is left open by POSIX; the C libraries take these.
        if (left_.empty()) left_ = ",M3.2.0,M11.1.0";
        expect(',');
        rule.begins_ = change();
        expect(',');
        rule.ends_ = change();
        if (!left_.empty()) fail("goes on after its end");
        return rule;
    }

private:
    using change_of_time = zone_rule::change;

    [[noreturn]] void fail(std::string_view how) const {
        throw bad_data{"the rule " + detail::quoted_extract(text_) + " " + std::string{how}};
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

    bool take(char c) {
        if (!left_.starts_with(c)) return false;
        left_.remove_prefix(1);
        return true;
    }

    void expect(char c) {
        if (!take(c)) fail(std::string{"lacks a '"} + c + "'");
    }

    std::string name() {
        const bool quoted = take('<');
        const auto end = std::ranges::find_if_not(left_, [quoted](char c) {
            return is_letter(c) || (quoted && (is_digit(c) || c == '+' || c == '-'));
        });
        std::string found{left_.begin(), end};
        if (found.size() < 3) fail("has a name of less than three characters");
        left_.remove_prefix(found.size());
        if (quoted) expect('>');
        return found;
    }

    int number(int least, int most) {
        const auto digits =
            static_cast<std::size_t>(std::ranges::find_if_not(left_, is_digit) - left_.begin());
        if (digits == 0 || digits > 3) fail("lacks a number");
        int value = 0;
        for (const char c : left_.substr(0, digits)) value = value * 10 + (c - '0');
        if (value < least || value > most) fail("holds a number that is out of range");
        left_.remove_prefix(digits);
        return value;
    }

    std::chrono::seconds time(int most_hours) {
        const bool negative = take('-');
        if (!negative) take('+');
        std::chrono::seconds sum = std::chrono::hours{number(0, most_hours)};
        if (take(':')) {
            sum += std::chrono::minutes{number(0, 59)};
            if (take(':')) sum += std::chrono::seconds{number(0, 59)};
        }
        return negative ? -sum : sum;
    }

    change_of_time change() {
        change_of_time found;
        if (take('M')) {
            found.month = number(1, 12);
            expect('.');
            found.week = number(1, 5);
            expect('.');
            found.day = number(0, 6);
        } else if (take('J')) {
            found.by = change_of_time::kind::without_leap_day;
            found.day = number(1, 365);
        } else {
            found.by = change_of_time::kind::with_leap_day;
            found.day = number(0, 365);
        }
        if (take('/')) found.time = time(167);
        return found;
    }

    std::string_view text_;
    std::string_view left_;
};

zone_rule zone_rule::parse(std::string_view text) { return zone_rule_reader{text}.read(); }

}  // namespace errand
