// Random lines in zones with odd rules, against a walk from minute to minute by the C library's clock.
#include "core/cron_ticks.hpp"
#include "unit/c_library_zone.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <set>

using namespace errand;
using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

constexpr std::array odd_zones{
    "America/New_York",  "Europe/London",     "Australia/Lord_Howe", "Pacific/Apia",
    "Asia/Kathmandu",    "Africa/Casablanca", "America/Nuuk",        "Antarctica/Troll",
    "Europe/Dublin",     "Asia/Gaza",         "America/Caracas",     "Pacific/Kwajalein",
    "America/Sao_Paulo", "Asia/Pyongyang",    "Africa/Cairo",        "America/Scoresbysund"};

// One field: how it is written, and what it means.
struct random_field {
    std::string text = "*";
    std::set<int> values;
    bool star() const { return text.front() == '*'; }
};

using dice = std::mt19937_64;
int throw_dice(dice& random, int least, int most) {
    return std::uniform_int_distribution{least, most}(random);
}

random_field random_list(dice& random, int least, int most, int star_in_ten) {
    random_field field;
    const auto kind = throw_dice(random, 0, 9);
    if (kind < star_in_ten) {
        const auto step = throw_dice(random, 0, 1) == 0 ? 1 : throw_dice(random, 1, (most - least + 1) / 2);
        if (step > 1) field.text += "/" + std::to_string(step);
        for (int n = least; n <= most; n += step) field.values.insert(n);
        return field;
    }
    field.text.clear();
    if (kind == 9) {
        const auto from = throw_dice(random, least, most), length = throw_dice(random, 1, most - least);
        for (int n = 0; n <= length; ++n)
            field.values.insert(least + (from - least + n) % (most - least + 1));
        const auto to = least + (from - least + length) % (most - least + 1);
        field.text = std::to_string(from) + "-" + std::to_string(to);
        return field;
    }
    for (int n = throw_dice(random, 1, 4); n > 0; --n) {
        const auto value = throw_dice(random, least, most);
        field.values.insert(value);
        field.text += (field.text.empty() ? "" : ",") + std::to_string(value);
    }
    return field;
}

struct random_line {
    explicit random_line(dice& random)
        : minute{random_list(random, 0, 59, 4)},
          hour{random_list(random, 0, 23, 4)},
          day{random_list(random, 1, 31, 7)},
          month{random_list(random, 1, 12, 9)},
          weekday{random_list(random, 0, 6, 7)} {}

    std::string text() const {
        return minute.text + " " + hour.text + " " + day.text + " " + month.text + " " + weekday.text;
    }
    bool elapsed() const { return minute.star() || hour.star(); }

    // As crontab(5) says it.
    bool names(const std::tm& time) const {
        if (!minute.values.contains(time.tm_min) || !hour.values.contains(time.tm_hour)) return false;
        if (!month.values.contains(time.tm_mon + 1)) return false;
        const bool by_day = day.values.contains(time.tm_mday),
                   by_weekday = weekday.values.contains(time.tm_wday);
        return day.star() || weekday.star() ? by_day && by_weekday : by_day || by_weekday;
    }

    random_field minute, hour, day, month, weekday;
};

// The times of the calendar, minute by minute: all that is shown or left out.
std::int64_t shown_minute(std::tm time) { return timegm(&time) / 60; }

std::tm minute_of_calendar(std::int64_t minute) {
    const std::time_t seconds = minute * 60;
    std::tm time{};
    gmtime_r(&seconds, &time);
    return time;
}

// All ticks from <= tick < to, whole minutes.
std::vector<sys_seconds> walk(const random_line& line, const c_library_zone& clock, sys_seconds from,
                              sys_seconds to) {
    std::vector<sys_seconds> ticks;
    std::int64_t latest = 0;
    // What was shown in the days before decides what is new.
    for (auto at = from - 54h; at < to; at += 1min) {
        const auto time = clock.at(at);
        const auto shown = shown_minute(time);
        bool tick = line.elapsed() && line.names(time);
        for (auto minute = latest + 1; latest != 0 && minute <= shown && !line.elapsed(); ++minute)
            tick = tick || line.names(minute_of_calendar(minute));
        latest = std::max(latest, shown);
        if (tick && at >= from) ticks.push_back(at);
    }
    return ticks;
}

std::vector<sys_seconds> forwards(const cron_ticks& ticks, sys_seconds from, sys_seconds to) {
    std::vector<sys_seconds> found;
    for (auto tick = ticks.next(from - 1s); tick && *tick < to; tick = ticks.next(*tick))
        found.push_back(*tick);
    return found;
}

std::vector<sys_seconds> backwards(const cron_ticks& ticks, sys_seconds from, sys_seconds to) {
    std::vector<sys_seconds> found;
    for (auto tick = ticks.previous(to); tick && *tick >= from; tick = ticks.previous(*tick))
        found.push_back(*tick);
    return {found.rbegin(), found.rend()};
}

// Asked at any instant, also in an hour that comes twice: the ticks before and after it, and how many are left.
void require_between(const cron_ticks& ticks, const std::vector<sys_seconds>& expected, sys_seconds at,
                     sys_seconds to) {
    const auto after = std::ranges::upper_bound(expected, at);
    if (after != expected.end()) REQUIRE(ticks.next(at) == *after);
    const auto before = std::ranges::lower_bound(expected, at);
    if (before != expected.begin()) REQUIRE(ticks.previous(at) == *(before - 1));
    REQUIRE(ticks.count(at, to) == expected.end() - before);
}

// Some days around a change of clocks, where there is one, from the year on from which offsets are whole minutes.
std::pair<sys_seconds, sys_seconds> random_days(const time_zone& zone, dice& random) {
    constexpr sys_seconds first{sys_days{std::chrono::year{1975} / 1 / 1}};
    constexpr sys_seconds last{sys_days{std::chrono::year{2095} / 1 / 1}};
    const auto end = zone.offset_at(first + std::chrono::days{throw_dice(random, 0, 43'000)}).end;
    const auto from = std::min(end, last) - 36h + std::chrono::minutes{throw_dice(random, 0, 600)};
    const auto whole = std::chrono::floor<std::chrono::minutes>(from);
    return {whole, whole + 66h};
}

}  // namespace

TEST_CASE("random cron lines tick when a walk by the C library's clock says so") {
    if (!std::filesystem::exists(zone_folder() / "Europe/London"))
        FAIL("there are no time zone files at /usr/share/zoneinfo: install tzdata");
    dice random{17};
    std::size_t seen = 0;
    for (const std::string name : odd_zones) {
        const auto zone = std::make_shared<const time_zone>(zone_from(zone_folder(), name));
        const c_library_zone clock{zone_folder() / name};
        for (int n = 0; n < 20; ++n) {
            const random_line line{random};
            const auto [from, to] = random_days(*zone, random);
            INFO(name << ", " << line.text() << ", from " << from.time_since_epoch().count());
            cron_ticks ticks{cron_line::parse("0 0 1 1 *", {}), zone};
            try {
                ticks = cron_ticks{cron_line::parse(line.text(), {}), zone};
            } catch (const std::exception&) {
                // Never comes.
                continue;
            }
            const auto expected = walk(line, clock, from, to);
            REQUIRE(forwards(ticks, from, to) == expected);
            REQUIRE(backwards(ticks, from, to) == expected);
            REQUIRE(ticks.count(from, to) == static_cast<std::int64_t>(expected.size()));
            for (int asked = 0; asked < 20; ++asked)
                require_between(ticks, expected,
                                from + std::chrono::seconds{throw_dice(random, 0, 66 * 3600 - 1)}, to);
            seen += expected.size();
        }
    }
    CHECK(seen > 3000);
}

TEST_CASE("a line of few days is found from both sides of hours that come twice") {
    // Clocks go from 3 back to 1 at 1:00 UTC of the last Sunday in October.
    const auto zone = std::make_shared<const time_zone>(zone_from(zone_folder(), "Antarctica/Troll"));
    const c_library_zone clock{zone_folder() / "Antarctica/Troll"};
    const sys_seconds change{sys_days{std::chrono::year{2027} / 10 / 31} + 1h};
    REQUIRE(clock.at(change - 1s).tm_hour == 2);
    REQUIRE(clock.at(change).tm_hour == 1);
    for (const std::string line : {"* 2 31 10 *", "*/30 1 31 10 *", "30 2 31 10 *"}) {
        const cron_ticks ticks{cron_line::parse(line, {}), zone};
        INFO(line);
        const auto all = forwards(ticks, change - 12h, change + 12h);
        CHECK(all.size() == (line == "* 2 31 10 *" ? 120 : line == "30 2 31 10 *" ? 1 : 4));
        for (auto at = change - 3h; at < change + 4h; at += 5min)
            require_between(ticks, all, at, change + 12h);
    }
}

TEST_CASE("ticks of a century are counted as they come one by one") {
    dice random{4};
    for (const std::string name :
         {"America/New_York", "Pacific/Apia", "Africa/Casablanca", "Australia/Lord_Howe"}) {
        const auto zone = std::make_shared<const time_zone>(zone_from(zone_folder(), name));
        for (const std::string line :
             {"30 2 * * *", "0 */7 1-7 * 1", "59 23 L * *", "15,45 1-3 * * 0", "0 0 29 2 *"}) {
            const cron_ticks ticks{cron_line::parse(line, {}), zone};
            const sys_seconds from{sys_days{std::chrono::year{1990} / 3 / throw_dice(random, 1, 28)}};
            const auto to = from + std::chrono::days{throw_dice(random, 10'000, 15'000)};
            INFO(name << ", " << line);
            const auto all = forwards(ticks, from, to);
            CHECK(all.size() > 5);
            CHECK(ticks.count(from, to) == static_cast<std::int64_t>(all.size()));
            CHECK(backwards(ticks, from, to) == all);
        }
    }
}
