// Known answers: from Debian's cron, croniter, dateutil and the calendar.
#include "core/cron_ticks.hpp"
#include "support/zone_look.hpp"
#include "unit/c_library_zone.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <map>
#include <sstream>

using namespace errand;
using errand::test::local_at;
using std::chrono::local_seconds;
using std::chrono::sys_seconds;

namespace {

// expression | zone, after (UTC) | next three, local | what it shows
constexpr std::string_view vectors = R"(
30 2 * * * | NY 2027-03-13T12:00 | 03-14 03:00-04, 03-15 02:30-04, 03-16 02:30-04 | D gap: at its end
0,20,40 2 * * * | NY 2027-03-14T06:00 | 03-14 03:00-04, 03-15 02:00-04, 02:20-04 | D three local times in a gap: one tick
*/15 * * * * | NY 2027-03-14T06:30 | 03-14 01:45-05, 03:00-04, 03:15-04 | DC star: elapsed time
30 1 * * * | NY 2027-11-07T04:00 | 11-07 01:30-04, 11-08 01:30-05, 11-09 01:30-05 | D overlap: first only
45 * * * * | NY 2027-11-07T05:00 | 11-07 01:45-04, 01:45-05, 02:45-05 | D star: both
0 1 * * * | LON 2027-03-27T12:00 | 03-28 02:00+01, 03-29 01:00+01, 03-30 01:00+01 | DC
0 0-23/2 * * * | LON 2027-10-30T23:30 | 10-31 02:00+00, 04:00+00, 06:00+00 | DC a range is no star
15 2 * * * | LHI 2026-10-03T10:00 | 10-04 02:30+11, 10-05 02:15+11, 10-06 02:15+11 | D gap of 30 min
*/20 1 * * * | LHI 2027-04-03T14:05 | 04-04 01:20+11, 01:40+11, 01:40+1030 | D minute star
0 8 * * 1-5 | SHA 2026-11-20T01:00 | 11-23 08:00, 11-24 08:00, 11-25 08:00 | C
0 9 LW * * | SHA 2026-11-22 | 11-30 09:00, 12-31 09:00, 2027-01-29 09:00 | Q
0 0 29 2 * | UTC 2026-11-22 | 2028-02-29 00:00, 2032-02-29 00:00, 2036-02-29 00:00 | C
0 12 */2 * 1 | UTC 2026-11-22 | 11-23 12:00, 12-07 12:00, 12-21 12:00 | Q AND
0 0 13 * 5 | UTC 2026-11-22 | 11-27 00:00, 12-04 00:00, 12-11 00:00 | C OR
0 22 * * FRI-MON | UTC 2026-11-24 | 11-27 22:00, 11-28 22:00, 11-29 22:00 | Q wraps
15 10 ? * 6L | NY 2026-11-22 | 11-28 10:15-05, 12-26 10:15-05, 2027-01-30 10:15-05 | Q last Saturday
0 10 15W * * | UTC 2027-04-20 | 05-14 10:00, 06-15 10:00, 07-15 10:00 | H 15 May is a Saturday
30 6 L-2 * * | LON 2027-01-30T12:00 | 02-26 06:30+00, 03-29 06:30+01, 04-28 06:30+01 | Q
0 9 * * 5#5 | LON 2026-11-22 | 2027-01-29 09:00+00, 04-30 09:00+01, 07-30 09:00+01 | Q fifth Friday
*/20 59 23 31 12 * | UTC 2026-12-31T23:59:10 | 12-31 23:59:20, 23:59:40, 2027-12-31 23:59:00 | C seconds first
0 22-2/2 * * * | UTC 2026-11-22T21:00 | 11-22 22:00, 11-23 00:00, 02:00 | Q 22, 0, 2
5/25 * * * * | UTC 2026-11-22T10:31 | 11-22 10:55, 11:05, 11:30 | C
)";

const std::map<std::string, std::string> zones_by_letters{{"NY", "America/New_York"},
                                                          {"LON", "Europe/London"},
                                                          {"LHI", "Australia/Lord_Howe"},
                                                          {"SHA", "Asia/Shanghai"}};

std::vector<std::string> split_text(const std::string& text, const std::string& mark) {
    std::vector<std::string> parts;
    for (std::size_t from = 0;;) {
        const auto end = text.find(mark, from);
        parts.push_back(text.substr(from, end - from));
        if (end == text.npos) return parts;
        from = end + mark.size();
    }
}

struct written_time {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;

    std::chrono::seconds since_1970() const {
        const std::chrono::sys_days date{std::chrono::year{year} / month / day};
        return date.time_since_epoch() + std::chrono::hours{hour} + std::chrono::minutes{minute} +
               std::chrono::seconds{second};
    }
};

// What is left out is as in the one before: "2027-01-29 09:00+00", "04-30 09:00+01", "10:15:30".
written_time read_local(const std::string& text, const written_time& before) {
    auto found = before;
    auto clock = text;
    if (const auto blank = text.find(' '); blank != text.npos) {
        const auto date = split_text(text.substr(0, blank), "-");
        REQUIRE((date.size() == 2 || date.size() == 3));
        if (date.size() == 3) found.year = std::stoi(date[0]);
        found.month = std::stoi(date[date.size() - 2]);
        found.day = std::stoi(date.back());
        clock = text.substr(blank + 1);
    }
    found.second = 0;
    REQUIRE(std::sscanf(clock.c_str(), "%d:%d:%d", &found.hour, &found.minute, &found.second) >= 2);
    return found;
}

std::optional<std::chrono::seconds> read_offset(const std::string& text) {
    const auto at = text.find_first_of("+-", text.rfind(':'));
    if (at == text.npos) return std::nullopt;
    const auto digits = text.substr(at + 1);
    const auto minutes = digits.size() == 4 ? std::stoi(digits.substr(2)) : 0;
    const std::chrono::seconds size =
        std::chrono::hours{std::stoi(digits.substr(0, 2))} + std::chrono::minutes{minutes};
    return text[at] == '-' ? -size : size;
}

written_time read_instant(const std::string& text) {
    written_time found;
    const auto parts = std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d", &found.year, &found.month, &found.day,
                                   &found.hour, &found.minute, &found.second);
    REQUIRE(parts >= 3);
    return found;
}

void check_vector(const std::string& row) {
    INFO(row);
    const auto columns = split_text(row, " | ");
    REQUIRE(columns.size() == 4);
    const auto where = split_text(columns[1], " ");
    REQUIRE(where.size() == 2);
    auto zone = time_zone::utc();
    if (where[0] != "UTC")
        zone = std::make_shared<const time_zone>(zone_from(zone_folder(), zones_by_letters.at(where[0])));
    const cron_ticks ticks{cron_line::parse(columns[0], {}), zone};

    auto written = read_instant(where[1]);
    const sys_seconds after{written.since_1970()};
    auto at = after;
    const auto expected = split_text(columns[2], ", ");
    REQUIRE(expected.size() == 3);
    std::vector<sys_seconds> found;
    for (const auto& text : expected) {
        written = read_local(text, written);
        const auto tick = ticks.next(at);
        REQUIRE(tick);
        CHECK(local_at(*zone, *tick) == local_seconds{written.since_1970()});
        if (const auto offset = read_offset(text)) CHECK(zone->offset_at(*tick).offset == *offset);
        // Backwards it is the same.
        if (!found.empty()) CHECK(ticks.previous(*tick) == found.back());
        found.push_back(*tick);
        at = *tick;
    }
    CHECK(ticks.count(after + std::chrono::seconds{1}, at + std::chrono::seconds{1}) == 3);
}

}  // namespace

TEST_CASE("cron lines tick at the known times, also where clocks are changed") {
    if (!std::filesystem::exists(zone_folder() / "Europe/London"))
        FAIL("there are no time zone files at /usr/share/zoneinfo: install tzdata");
    std::istringstream rows{std::string{vectors}};
    int checked = 0;
    for (std::string row; std::getline(rows, row);) {
        if (row.empty()) continue;
        check_vector(row);
        ++checked;
    }
    CHECK(checked == 22);
}
