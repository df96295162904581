#include <errand/error.hpp>

#include "core/cron_line.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace errand;
using std::chrono::local_days;
using std::chrono::local_seconds;

namespace {

std::string refusal_of(std::string_view line) {
    try {
        cron_line::parse(line, {"h", "k"});
    } catch (const usage_error& why) {
        return why.what();
    }
    return "accepted";
}

// The first times from the beginning of a year on.
std::vector<local_seconds> first_of(std::string_view line, std::chrono::year year, std::size_t n,
                                    const cron_seed& seed = {}) {
    const auto parsed = cron_line::parse(line, seed);
    std::vector<local_seconds> found;
    auto from = local_seconds{local_days{year / 1 / 1}};
    while (found.size() < n) {
        const auto match = parsed.first_match(from);
        if (!match) break;
        found.push_back(*match);
        from = *match + std::chrono::seconds{1};
    }
    return found;
}

bool same_times(std::string_view one, std::string_view other) {
    return first_of(one, std::chrono::year{2026}, 500) == first_of(other, std::chrono::year{2026}, 500);
}

struct refused_line {
    std::string_view line, says;
};

}  // namespace

TEST_CASE("a cron line is refused in one sentence that names the field, its value and what is allowed") {
    for (
        const auto& [line, says] : {
            refused_line{"61 * * * *", "cron = \"61 * * * *\": minute = \"61\": must be 0..59"},
            {"* 24 * * *", "cron = \"* 24 * * *\": hour = \"24\": must be 0..23"},
            {"60 * * * * *", "cron = \"60 * * * * *\": second = \"60\": must be 0..59"},
            {"0 0 0 * *", "cron = \"0 0 0 * *\": day of month = \"0\": must be 1..31, L, L-n, LW or nW"},
            {"0 0 32W * *",
             "cron = \"0 0 32W * *\": day of month = \"32W\": must be 1..31, L, L-n, LW or nW"},
            {"0 0 L-31 * *",
             "cron = \"0 0 L-31 * *\": day of month = \"L-31\": must be 1..31, L, L-n, LW or nW"},
            {"0 0 * 13 *", "cron = \"0 0 * 13 *\": month = \"13\": must be 1..12 or JAN..DEC"},
            {"0 0 * MONDAY *", "cron = \"0 0 * MONDAY *\": month = \"MONDAY\": must be 1..12 or JAN..DEC"},
            {"0 0 * * 8",
             "cron = \"0 0 * * 8\": day of week = \"8\": must be 0..7 (0 and 7 are Sunday), SUN..SAT, nL or n#k"},
            {"0 0 * * L",
             "cron = \"0 0 * * L\": day of week = \"L\": must be 0..7 (0 and 7 are Sunday), SUN..SAT, nL or n#k"},
            {"0 0 * * 1#6",
             "cron = \"0 0 * * 1#6\": day of week = \"1#6\": must be 0..7 (0 and 7 are Sunday), SUN..SAT, nL or n#k"},
            {"*/0 * * * *", "cron = \"*/0 * * * *\": minute = \"*/0\": the step must be 1..60"},
            {"*/90 * * * *", "cron = \"*/90 * * * *\": minute = \"*/90\": the step must be 1..60"},
            {"H/0 * * * *", "cron = \"H/0 * * * *\": minute = \"H/0\": the step must be 1..60"},
            {"H(5) * * * *",
             "cron = \"H(5) * * * *\": minute = \"H(5)\": must be H, H/n, H(a-b) or H(a-b)/n"},
            {"H(9-5) * * * *",
             "cron = \"H(9-5) * * * *\": minute = \"H(9-5)\": the range of H must not end before it begins"},
            {"1,,2 * * * *", "cron = \"1,,2 * * * *\": minute = \"1,,2\": an item of its list is empty"},
            {"-5 * * * *", "cron = \"-5 * * * *\": minute = \"-5\": must be 0..59"},
            {"5- * * * *", "cron = \"5- * * * *\": minute = \"5-\": must be 0..59"},
            {"? * * * *",
             "cron = \"? * * * *\": minute = \"?\": ? is for day of month and day of week alone; write *"},
            {"@reboot", "cron = \"@reboot\": @reboot is not a time: submit the task when the program starts"},
            {"@every 5m",
             "cron = \"@every 5m\": @every is not a time of the calendar: declare the schedule with every()"},
            {"@dayly",
             "cron = \"@dayly\": must be @yearly, @monthly, @weekly, @daily, @midnight or @hourly, or have fields"},
            {"0 0 1 1 * 2027 *",
             "cron = \"0 0 1 1 * 2027 *\": has a seventh field: a year cannot be given (see begin "
             "and end)"},
            {"0 0 1",
             "cron = \"0 0 1\": has 3 fields: must have 5 (minute, hour, day of month, month, day of week), or "
             "6 with seconds first"},
            {"",
             "cron = \"\": has 0 fields: must have 5 (minute, hour, day of month, month, day of week), or 6 with "
             "seconds first"},
            {"CRON_TZ=UTC 0 0 * * *",
             "cron = \"CRON_TZ=UTC 0 0 * * *\": the zone is not part of the line: give it as timezone"},
            {"0 0 30 2 *",
             "cron = \"0 0 30 2 *\": never comes: no month has such a day (day of month = \"30\", month = "
             "\"2\", day of week = \"*\")"},
            {"0 0 31 4,6,9,11 ?",
             "cron = \"0 0 31 4,6,9,11 ?\": never comes: no month has such a day (day of month = "
             "\"31\", month = \"4,6,9,11\", day of week = \"?\")"},
        })
        CHECK(refusal_of(line) == says);
    CHECK(refusal_of(std::string(1025, '*')).ends_with(": is longer than 1024 bytes"));
}

TEST_CASE("a rare cron line is no refused one") {
    for (const std::string_view line :
         {"0 0 30 2 5", "0 0 29 2 *", "0 0 */28 2 1", "0 0 ? 2 5#5", "0 0 L-30 * *", "0 0 31W * *"})
        CHECK(refusal_of(line) == "accepted");
    // 29 February on a Monday: over 2100 it takes forty years.
    const auto leap = cron_line::parse("0 0 ? 2 1#5", {});
    CHECK(leap.first_match(local_days{std::chrono::year{2073} / 1 / 1}) ==
          local_days{std::chrono::year{2112} / 2 / 29});
}

TEST_CASE("the same times can be written in several ways") {
    CHECK(same_times("0 0 * * 0", "0 0 * * 7"));
    CHECK(same_times("0 0 * * SUN", "@weekly"));
    CHECK(same_times("0 0 * jan-mar mon", "0 0 ? 1,2,3 1"));
    CHECK(same_times("@daily", "@midnight"));
    CHECK(same_times("@hourly", "0 */1 * * *"));
    CHECK(same_times("@monthly", "0 0 1 1/1 ?"));
    CHECK(same_times("@yearly", "0 0 1 1 *"));
    CHECK(same_times("0 0 * * FRI-MON", "0 0 * * 5,6,7,1"));
    CHECK(same_times("0 0 * * 5-7", "0 0 * * 5,6,0"));
    CHECK(same_times("0 0 * * 7-2", "0 0 * * 0-2"));
    CHECK(same_times("0 22-2/2 * * *", "0 22,0,2 * * *"));
    CHECK(same_times("0 0 30-2 * *", "0 0 30,31,1,2 * *"));
    CHECK(same_times("0 0 * NOV-FEB *", "0 0 * 11,12,1,2 *"));
    CHECK(same_times("5/25 * * * *", "5,30,55 * * * *"));
    CHECK(same_times("  0\t0  *  * *  ", "@daily"));
    CHECK(same_times("0 0 0 * * *", "0 0 * * *"));
    CHECK(same_times("0 9 ? * FRI#2", "0 9 ? * 5#2"));
    CHECK(same_times("0 9 lw * *", "0 9 LW * *"));
    CHECK(!same_times("0 0 13 * 5", "0 0 13 * *"));
}

TEST_CASE("H is drawn from handler and key: the same for one schedule, and spread over many") {
    std::set<local_seconds> minutes;
    for (int n = 0; n < 200; ++n) {
        const auto key = std::to_string(n);
        const auto first = first_of("H H * * *", std::chrono::year{2026}, 1, {"h", key});
        CHECK(first == first_of("H H * * *", std::chrono::year{2026}, 1, {"h", key}));
        minutes.insert(first.front());
    }
    // 200 draws of 1,440 minutes.
    CHECK(minutes.size() > 150);
    CHECK(first_of("H H * * *", std::chrono::year{2026}, 1, {"ab", "c"}) !=
          first_of("H H * * *", std::chrono::year{2026}, 1, {"a", "bc"}));
    for (int n = 0; n < 200; ++n) {
        const auto key = std::to_string(n);
        // Every month has that day.
        CHECK(first_of("0 0 H * *", std::chrono::year{2026}, 12, {"h", key}).back() <
              local_seconds{local_days{std::chrono::year{2026} / 12 / 29}});
        const auto quarters = first_of("H/15 * * * *", std::chrono::year{2026}, 8, {"h", key});
        CHECK(quarters[4] - quarters[0] == std::chrono::hours{1});
        CHECK(quarters[1] - quarters[0] == std::chrono::minutes{15});
        const auto early = first_of("0 H(2-4) * * *", std::chrono::year{2026}, 1, {"h", key}).front();
        const auto hour = (early - local_days{std::chrono::year{2026} / 1 / 1}) / std::chrono::hours{1};
        CHECK(hour >= 2);
        CHECK(hour <= 4);
    }
}

TEST_CASE("only lines whose minute or hour begin with a star follow the time that passes") {
    const auto follows = [](std::string_view line) {
        return cron_line::parse(line, {}).follows_elapsed_time();
    };
    CHECK(follows("* 2 * * *"));
    CHECK(follows("*/15 2 * * *"));
    CHECK(follows("0 */2 * * *"));
    CHECK(follows("@hourly"));
    CHECK(follows("0 */5 3 * * *"));
    CHECK_FALSE(follows("0-59 2 * * *"));
    CHECK_FALSE(follows("0 0-23/2 * * *"));
    CHECK_FALSE(follows("H H * * *"));
    CHECK_FALSE(follows("* 0 2 * * *"));
}
