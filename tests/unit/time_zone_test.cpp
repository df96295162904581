#include <errand/error.hpp>

#include "core/time_zone.hpp"
#include "support/zone_look.hpp"
#include "unit/c_library_zone.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;
using errand::test::instants_of;
using errand::test::local_at;
using namespace std::chrono_literals;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

constexpr sys_seconds instant(int year, int month, int day, std::chrono::seconds time = 0s) {
    return sys_seconds{sys_days{std::chrono::year{year} / month / day}} + time;
}
constexpr local_seconds local_of(int year, int month, int day, std::chrono::seconds time) {
    return local_seconds{local_days{std::chrono::year{year} / month / day}} + time;
}

std::string big(std::int64_t value, int width) {
    std::string bytes;
    for (int shift = (width - 1) * 8; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<char>(value >> shift & 0xff));
    return bytes;
}

// A file of one's own: each part can be made a wrong one.
struct zone_bytes {
    struct type {
        std::int32_t offset;
        char dst;
        unsigned char name;
    };
    std::string magic = "TZif";
    char version = '2';
    std::vector<std::int64_t> times;
    std::vector<unsigned char> kinds;
    std::vector<type> types{{0, 0, 0}};
    std::string names = std::string("STD\0DST\0", 8);
    std::string footer = "\nSTD0\n";
    int leaps = 0;

    std::string block(int width) const {
        std::string bytes = magic + version + std::string(15, '\0');
        for (const auto count : {std::size_t{0}, std::size_t{0}, static_cast<std::size_t>(leaps),
                                 times.size(), types.size(), names.size()})
            bytes += big(static_cast<std::int64_t>(count), 4);
        for (const auto time : times) bytes += big(time, width);
        for (const auto kind : kinds) bytes.push_back(static_cast<char>(kind));
        for (const auto& one : types) bytes += big(one.offset, 4) + one.dst + static_cast<char>(one.name);
        bytes += names;
        return bytes + std::string(static_cast<std::size_t>(leaps * (width + 4)), '\0');
    }
    std::string all() const { return version == '\0' ? block(4) : block(4) + block(8) + footer; }
};

std::string zone_refusal(const std::string& bytes) {
    try {
        time_zone::read("Test/Zone", bytes);
    } catch (const usage_error& why) {
        return why.what();
    }
    return "accepted";
}

time_zone ruled(const std::string& rule) {
    zone_bytes bytes;
    bytes.footer = "\n" + rule + "\n";
    return time_zone::read("Test/Ruled", bytes.all());
}

time_zone installed(const std::string& name) {
    if (!std::filesystem::exists(zone_folder() / name))
        FAIL("there are no time zone files at /usr/share/zoneinfo: install tzdata");
    return zone_from(zone_folder(), name);
}

}  // namespace

TEST_CASE("rules name days by month and week, and by number with and without the leap day") {
    const auto begins = [](const std::string& rule, int year) {
        const auto zone = ruled("XXX3YYY" + rule + ",M12.1.0");
        return zone.offset_at(instant(year, 1, 10)).end + zone.offset_at(instant(year, 1, 10)).offset;
    };
    CHECK(begins(",M3.2.0", 2027) == instant(2027, 3, 14, 2h));
    CHECK(begins(",M3.5.0/1", 2027) == instant(2027, 3, 28, 1h));
    CHECK(begins(",M2.5.1", 2028) == instant(2028, 2, 28, 2h));
    CHECK(begins(",J60", 2028) == instant(2028, 3, 1, 2h));
    CHECK(begins(",J60", 2027) == instant(2027, 3, 1, 2h));
    CHECK(begins(",J59", 2028) == instant(2028, 2, 28, 2h));
    CHECK(begins(",59", 2028) == instant(2028, 2, 29, 2h));
    CHECK(begins(",59", 2027) == instant(2027, 3, 1, 2h));
    CHECK(begins(",M3.4.4/50", 2027) == instant(2027, 3, 27, 2h));
    CHECK(begins(",M3.5.0/-2", 2027) == instant(2027, 3, 27, 22h));
    CHECK(begins(",M3.1.0/-167:30:15", 2027) == instant(2027, 3, 7) - 167h - 30min - 15s);
    CHECK(begins(",M3.1.0/+167", 2027) == instant(2027, 3, 7) + 167h);
    // Half a day more of saving than an hour.
    CHECK(begins("-9:30,M3.2.0", 2027) == instant(2027, 3, 14, 2h));
}

TEST_CASE("a rule can save less than nothing, an hour without saying so, or all the year") {
    const auto dublin = ruled("IST-1GMT0,M10.5.0,M3.5.0/1");
    CHECK(dublin.offset_at(instant(2050, 7, 1)).offset == 1h);
    CHECK_FALSE(dublin.offset_at(instant(2050, 7, 1)).dst);
    CHECK(dublin.offset_at(instant(2050, 1, 1)).offset == 0h);
    CHECK(dublin.offset_at(instant(2050, 1, 1)).dst);
    CHECK(ruled("<-03>3<-02>,M3.5.0,M10.5.0").offset_at(instant(2050, 7, 1)).abbreviation == "-02");
    const auto always = ruled("XXX3EDT4,0/0,J365/23");
    for (int day = 0; day < 1000; ++day)
        CHECK(always.offset_at(instant(2030, 1, 1) + std::chrono::days{day}).dst);
    // Without days: those of the United States, as the C libraries have it.
    CHECK(ruled("EST5EDT").offset_at(instant(2050, 3, 13, 7h)).begin == instant(2050, 3, 13, 7h));
    CHECK(ruled("EST5EDT").offset_at(instant(2050, 11, 6, 6h)).begin == instant(2050, 11, 6, 6h));
    // Beyond the calendar it is standard time.
    CHECK_FALSE(ruled("EST5EDT").offset_at(end_of_time - 1s).dst);
    CHECK_FALSE(ruled("EST5EDT").offset_at(beginning_of_time).dst);
}

TEST_CASE("a broken rule at the end of a zone's file is refused") {
    for (const auto& [rule, says] : std::vector<std::pair<std::string, std::string>>{
             {"ST5", "has a name of less than three characters"},
             {"EST", "lacks a number"},
             {"EST25", "holds a number that is out of range"},
             {"EST5EDT,M3.2.0", "lacks a ','"},
             {"EST5EDT,M13.2.0,M11.1.0", "holds a number that is out of range"},
             {"EST5EDT,M3.6.0,M11.1.0", "holds a number that is out of range"},
             {"EST5EDT,M3.2.7,M11.1.0", "holds a number that is out of range"},
             {"EST5EDT,J0,M11.1.0", "holds a number that is out of range"},
             {"EST5EDT,366,M11.1.0", "holds a number that is out of range"},
             {"EST5EDT,1/168,M11.1.0", "holds a number that is out of range"},
             {"EST5EDT,M3.2.0,M11.1.0x", "goes on after its end"},
             {"<EST5", "lacks a '>'"},
             {"EST5:", "lacks a number"},
             {"EST00005", "lacks a number"}}) {
        zone_bytes bytes;
        bytes.footer = "\n" + rule + "\n";
        CHECK(zone_refusal(bytes.all()) ==
              "timezone = \"Test/Zone\": its file is broken: the rule \"" + rule + "\" " + says);
    }
}

TEST_CASE("a broken zone file is refused in words, wherever it ends") {
    zone_bytes good;
    good.times = {0, 1'000'000};
    good.kinds = {1, 0};
    good.types = {{0, 0, 0}, {3600, 1, 4}};
    CHECK(zone_refusal(good.all()) == "accepted");
    const auto bytes = good.all();
    for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {
        const auto says = zone_refusal(bytes.substr(0, size));
        CHECK((says == "timezone = \"Test/Zone\": its file is broken: it ends too early" ||
               says == "timezone = \"Test/Zone\": its file is broken: its last line does not end"));
    }
    const auto refused = [&](auto change) {
        auto bad = good;
        change(bad);
        return zone_refusal(bad.all()).substr(std::string_view{"timezone = \"Test/Zone\": "}.size());
    };
    const std::string broken = "its file is broken: ";
    CHECK(refused([](auto& of) { of.magic = "TZib"; }) == "its file is not one of a time zone");
    CHECK(refused([](auto& of) { of.types.clear(); }) == broken + "it has no local time");
    CHECK(refused([](auto& of) { of.kinds[0] = 2; }) == broken + "a transition leads to no local time");
    CHECK(refused([](auto& of) { of.times[1] = 0; }) == broken + "its transitions do not follow each other");
    CHECK(refused([](auto& of) { of.times[0] = INT64_MIN; }) == broken + "a transition lies beyond time");
    CHECK(refused([](auto& of) { of.types[0].offset = 26 * 3600; }) ==
          broken + "a local time is more than 26 hours off");
    CHECK(refused([](auto& of) { of.types[0].dst = 2; }) ==
          broken + "a local time is neither standard nor daylight saving time");
    CHECK(refused([](auto& of) { of.types[1].name = 8; }) == broken + "a local time has no name");
    CHECK(refused([](auto& of) { of.names.pop_back(); }) == broken + "a local time has no name");
    CHECK(refused([](auto& of) { of.footer = "EST5\n"; }) == broken + "its last line does not begin");
    CHECK(refused([](auto& of) { of.leaps = 1; }).starts_with("it counts leap seconds"));
}

TEST_CASE("a zone file of the first version has times of 32 bits, and no rule") {
    zone_bytes old;
    old.version = '\0';
    old.times = {-1000, 1000};
    old.kinds = {1, 0};
    old.types = {{0, 0, 0}, {-3600, 1, 4}};
    const auto zone = time_zone::read("Test/Old", old.all());
    CHECK(zone.offset_at(sys_seconds{-1001s}).offset == 0s);
    CHECK(zone.offset_at(sys_seconds{-1000s}).offset == -1h);
    CHECK(zone.offset_at(sys_seconds{-1000s}).abbreviation == "DST");
    CHECK(zone.offset_at(sys_seconds{999s}).end == sys_seconds{1000s});
    CHECK(zone.offset_at(sys_seconds{1000s}).offset == 0s);
    CHECK(zone.offset_at(sys_seconds{1000s}).end == end_of_time);
}

TEST_CASE("a local time in a gap is the gap's end, one that comes twice is the first") {
    const auto york = installed("America/New_York");
    const auto gap = instant(2027, 3, 14, 7h);
    CHECK(first_instant(york, local_of(2027, 3, 14, 1h + 59min + 59s)) == gap - 1s);
    CHECK(first_instant(york, local_of(2027, 3, 14, 2h + 30min)) == gap);
    CHECK(first_instant(york, local_of(2027, 3, 14, 3h + 1s)) == gap + 1s);
    CHECK(instants_of(york, local_of(2027, 3, 14, 2h + 30min)).empty());
    CHECK(instants_of(york, local_of(2027, 3, 14, 3h)) == std::vector{gap});

    const auto twice = local_of(2027, 11, 7, 1h + 30min);
    CHECK(first_instant(york, twice) == instant(2027, 11, 7, 5h + 30min));
    CHECK(instants_of(york, twice) ==
          std::vector{instant(2027, 11, 7, 5h + 30min), instant(2027, 11, 7, 6h + 30min)});
    CHECK(local_at(york, instant(2027, 11, 7, 6h + 30min)) == twice);
    CHECK(latest_shown(york, instant(2027, 11, 7, 6h)) == local_of(2027, 11, 7, 2h) - 1s);
    CHECK(latest_shown(york, instant(2027, 11, 7, 7h + 1s)) == local_of(2027, 11, 7, 2h + 1s));
}

TEST_CASE("a day that a zone left out has no time of its own") {
    const auto apia = installed("Pacific/Apia");
    const auto change = first_instant(apia, local_of(2011, 12, 30, 0s));
    CHECK(first_instant(apia, local_of(2011, 12, 30, 23h)) == change);
    CHECK(local_at(apia, change) == local_of(2011, 12, 31, 0s));
    CHECK(local_at(apia, change - 1s) == local_of(2011, 12, 29, 24h - 1s));
    CHECK(instants_of(apia, local_of(2011, 12, 30, 8h)).empty());
}

TEST_CASE("UTC needs no file") {
    CHECK(time_zone::utc()->name() == "UTC");
    CHECK(local_at(*time_zone::utc(), instant(2026, 11, 22, 5s)) == local_of(2026, 11, 22, 5s));
    CHECK(first_instant(*time_zone::utc(), local_of(2026, 11, 22, 5s)) == instant(2026, 11, 22, 5s));
}
