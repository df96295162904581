// Dates and times as text, and back.
#include "core/iso_time.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::sys_days first_of_december{std::chrono::year{2026} / 12 / 1};

}  // namespace

TEST_CASE("times are written to the millisecond, before 1970 too") {
    CHECK(iso_time_text(time_point{}) == "1970-01-01T00:00:00.000");
    CHECK(iso_time_text(time_point{-1ms}) == "1969-12-31T23:59:59.999");
    CHECK(iso_time_text(first_of_december + 8h + 5ms, ' ') == "2026-12-01 08:00:00.005");
    CHECK(iso_date_text(first_of_december) == "2026-12-01");
}

TEST_CASE("a time is read part by part") {
    const auto date = scan_iso_time("2026-12-01");
    REQUIRE(date);
    CHECK(date->day == first_of_december);
    CHECK_FALSE(date->clock);
    const auto clock = scan_iso_time("2026-12-01 08:30");
    REQUIRE(clock);
    CHECK(clock->clock == 8h + 30min);
    CHECK_FALSE(clock->ahead);
    CHECK(scan_iso_time("2026-12-01T24:00:00")->clock == 24h);
    CHECK(scan_iso_time("2026-12-01T23:59:60.9999Z")->clock == 24h + 999ms);
    for (const auto* text : {"2026-12-01T08:00+02", "2026-12-01T08:00+0200", "2026-12-01t08:00:00,0+02:00"}) {
        INFO(text);
        CHECK(scan_iso_time(text)->ahead == 2h);
    }
    CHECK(scan_iso_time("2026-12-01T08:00-11:30")->ahead == -(11h + 30min));
    CHECK(scan_iso_time("2026-12-01T08:00z")->ahead == 0h);
}

TEST_CASE("what is no time is not read as one") {
    for (const auto* text :
         {"", "2026", "2026-12", "2026-13-01", "2026-02-30", "2026-12-01x", "2026-12-01T", "2026-12-01T8:00",
          "2026-12-01T25:00", "2026-12-01T08:60", "2026-12-01T08:00:61", "2026-12-01T08:00:00.",
          "2026-12-01T08:00+2", "2026-12-01T08:00+24", "2026-12-01T08:00+02:", "2026-12-01T08:00+02:60",
          "2026-12-01T08:00ZZ", "2026-12-01T08:00:00 UTC"}) {
        INFO(text);
        CHECK_FALSE(scan_iso_time(text));
    }
}
