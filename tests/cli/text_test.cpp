#include <errand/error.hpp>

#include "cli/options.hpp"
#include "cli/text.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace errand::cli;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::time_point;

TEST_CASE("a length of time is shown in its two largest units") {
    CHECK(length_text(0ms) == "0ms");
    CHECK(length_text(-5s) == "0ms");
    CHECK(length_text(850ms) == "850ms");
    CHECK(length_text(12999ms) == "12s");
    CHECK(length_text(3min + 20s) == "3m 20s");
    CHECK(length_text(2h) == "2h");
    CHECK(length_text(2h + 5min + 9s) == "2h 5m");
    CHECK(length_text(99h + 59min) == "4d 3h");
}

TEST_CASE("a point in time is written as RFC 3339 in UTC and read back") {
    CHECK(instant_text(time_point{}) == "1970-01-01T00:00:00.000Z");
    CHECK(instant_text(time_point{-1ms}) == "1969-12-31T23:59:59.999Z");
    const time_point at{1'796'112'000'123ms};
    CHECK(instant_text(at) == "2026-12-01T08:00:00.123Z");
    CHECK(parse_instant(instant_text(at)) == at);
}

TEST_CASE("points in time are read with any zone, with or without seconds") {
    const time_point eight{1'796'112'000'000ms};
    for (const auto* text :
         {"2026-12-01T08:00:00Z", "2026-12-01T08:00Z", "2026-12-01 08:00:00.000Z",
          "2026-12-01t10:00:00+02:00", "2026-11-30T20:30:00-11:30", "2026-12-01T08:00:00,000999z"}) {
        INFO(text);
        CHECK(parse_instant(text) == eight);
    }
}

TEST_CASE("what is no point in time, or has no zone, is not taken for one") {
    for (const auto* text : {"", "now", "2026-12-01", "2026-12-01T08:00:00", "2026-13-01T08:00:00Z",
                             "2026-02-30T08:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T08:60:00Z",
                             "2026-12-01T08:00:00.Z", "2026-12-01T08:00:00Zjunk", "2026-12-01T08:00:00+2"}) {
        INFO(text);
        CHECK_FALSE(parse_instant(text));
    }
    CHECK_THROWS_MATCHES(need_instant("--at", "noon"), errand::usage_error,
                         MessageMatches(ContainsSubstring("--at: \"noon\"")));
}

TEST_CASE("a length of time without a unit is refused in a sentence that names the option") {
    CHECK(need_length("--in", "5m") == 5min);
    CHECK_THROWS_MATCHES(need_length("--in", "5"), errand::usage_error,
                         MessageMatches(ContainsSubstring("--in: \"5\"") && ContainsSubstring("30s")));
}

TEST_CASE("a negative time until a task is due is none, and still has a unit") {
    CHECK(need_delay("--in", "5m") == 5min);
    CHECK(need_delay("--in", "-5m") == 0ms);
    for (const auto* odd : {"-5", "-", "--5m"}) CHECK_THROWS_AS(need_delay("--in", odd), errand::usage_error);
}

TEST_CASE("nothing in a text of a handler can move the terminal's cursor") {
    CHECK(plain("a\nb\tc\x1b[2J\x7f") == "a b c [2J ");
    CHECK(plain("\xC2\x9B"
                "2J") == " 2J");
    CHECK(plain("größe \xFF") == "größe \xEF\xBF\xBD");
}

TEST_CASE("text is cut by characters, not by bytes") {
    CHECK(width_of("größe ☃") == 7);
    CHECK(cut("größe", 5) == "größe");
    CHECK(cut("größe", 4) == "grö…");
    CHECK(cut("größe", 1) == "…");
    CHECK(cut("größe", 0).empty());
}
