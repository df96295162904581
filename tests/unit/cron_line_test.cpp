// A line in the calendar, without zones: each day and each second looked at one by one.
#include "core/cron_line.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>

using namespace errand;
using namespace std::chrono_literals;
using std::chrono::local_days;
using std::chrono::local_seconds;

namespace {

struct calendar_day {
    explicit calendar_day(local_days at)
        : date{at},
          day{static_cast<int>(static_cast<unsigned>(date.day()))},
          length{static_cast<int>(
              static_cast<unsigned>((date.year() / date.month() / std::chrono::last).day()))},
          weekday{static_cast<int>(std::chrono::weekday{at}.c_encoding())} {}

    bool is_weekday() const { return weekday >= 1 && weekday <= 5; }
    int weekday_of(int other) const { return ((weekday + other - day) % 7 + 7) % 7; }

    // No other weekday of the month is nearer to n, and n is in the month.
    bool nearest_to(int n) const {
        if (!is_weekday() || n > length) return false;
        for (int other = 1; other <= length; ++other) {
            const bool works = weekday_of(other) >= 1 && weekday_of(other) <= 5;
            if (works && std::abs(other - n) < std::abs(day - n)) return false;
        }
        return true;
    }
    bool last_weekday() const {
        for (int later = day + 1; later <= length; ++later) {
            if (weekday_of(later) >= 1 && weekday_of(later) <= 5) return false;
        }
        return is_weekday();
    }

    std::chrono::year_month_day date;
    int day, length, weekday;
};

std::string numbered(const std::string& before, int n, const std::string& after) {
    return before + std::to_string(n) + after;
}

void check_days(const std::string& line, const std::function<bool(const calendar_day&)>& named) {
    INFO(line);
    const auto parsed = cron_line::parse(line, {});
    const local_days from{std::chrono::year{1995} / 1 / 1}, to{std::chrono::year{2035} / 1 / 1};
    std::int64_t count = 0;
    local_seconds next{from};
    for (auto at = from; at < to; at += std::chrono::days{1}) {
        if (!named(calendar_day{at})) continue;
        REQUIRE(parsed.first_match(next) == local_seconds{at});
        if (count > 0) REQUIRE(parsed.last_match(at - 1s) == next - 1s);
        next = local_seconds{at} + 1s;
        ++count;
    }
    CHECK(count > 0);
    CHECK(parsed.count_matches(from, to) == count);
}

std::set<int> random_values(std::mt19937_64& random, int most) {
    std::set<int> values;
    for (int n = std::uniform_int_distribution{1, 6}(random); n > 0; --n)
        values.insert(std::uniform_int_distribution{0, most}(random));
    return values;
}

std::string as_list(const std::set<int>& values) {
    std::string text;
    for (const int value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
}

}  // namespace

TEST_CASE("the days that L, W and # name are those of the calendar") {
    for (int n = 0; n <= 30; ++n)
        check_days(numbered("0 0 L-", n, " * *"), [n](const auto& at) { return at.day == at.length - n; });
    check_days("0 0 L * *", [](const auto& at) { return at.day == at.length; });
    for (int n = 1; n <= 31; ++n)
        check_days(numbered("0 0 ", n, "W * *"), [n](const auto& at) { return at.nearest_to(n); });
    check_days("0 0 LW * *", [](const auto& at) { return at.last_weekday(); });
    for (int n = 0; n < 7; ++n) {
        check_days(numbered("0 0 ? * ", n, "L"),
                   [n](const auto& at) { return at.weekday == n && at.day + 7 > at.length; });
        for (int k = 1; k <= 5; ++k) {
            check_days(numbered("0 0 ? * ", n, "#") + std::to_string(k),
                       [n, k](const auto& at) { return at.weekday == n && (at.day - 1) / 7 + 1 == k; });
        }
    }
    check_days("0 0 1,L,15W * *",
               [](const auto& at) { return at.day == 1 || at.day == at.length || at.nearest_to(15); });
    check_days("0 0 L * 5L,1#1", [](const auto& at) {
        const bool by_week = (at.weekday == 5 && at.day + 7 > at.length) || (at.weekday == 1 && at.day <= 7);
        return at.day == at.length || by_week;
    });
    check_days("0 0 ?/3 2 MON-FRI", [](const auto& at) {
        return at.day % 3 == 1 && at.date.month() == std::chrono::February && at.is_weekday();
    });
}

TEST_CASE("the times of a day that a line names are found from second to second") {
    std::mt19937_64 random{8};
    const local_seconds from{local_days{std::chrono::year{2026} / 2 / 27}};
    for (int n = 0; n < 12; ++n) {
        const auto seconds = random_values(random, 59), minutes = random_values(random, 59);
        const auto hours = random_values(random, 23);
        const auto text = as_list(seconds) + " " + as_list(minutes) + " " + as_list(hours) + " */2 * *";
        INFO(text);
        const auto line = cron_line::parse(text, {});
        std::vector<local_seconds> expected;
        for (auto at = from; at < from + 96h; at += 1s) {
            const auto day = std::chrono::floor<std::chrono::days>(at);
            const auto time = (at - day).count();
            if (seconds.contains(static_cast<int>(time % 60)) &&
                minutes.contains(static_cast<int>(time / 60 % 60)) &&
                hours.contains(static_cast<int>(time / 3600)) && calendar_day{day}.day % 2 == 1)
                expected.push_back(at);
        }
        std::vector<local_seconds> found, backwards;
        for (auto at = line.first_match(from); at && *at < from + 96h; at = line.first_match(*at + 1s))
            found.push_back(*at);
        for (auto at = line.last_match(from + 96h - 1s); at && *at >= from; at = line.last_match(*at - 1s))
            backwards.insert(backwards.begin(), *at);
        CHECK(found == expected);
        CHECK(backwards == expected);
        CHECK(line.count_matches(from, from + 96h) == static_cast<std::int64_t>(expected.size()));
        const auto middle = from + std::chrono::seconds{std::uniform_int_distribution{0, 96 * 3600}(random)};
        CHECK(line.count_matches(middle, from + 96h) ==
              expected.end() - std::ranges::lower_bound(expected, middle));
    }
}
