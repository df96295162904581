// Every zone of this machine, against the C library.
#include "core/time_zone.hpp"
#include "unit/c_library_zone.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <unistd.h>

using namespace errand;
using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

namespace {

constexpr sys_seconds year_1900{sys_days{std::chrono::year{1900} / 1 / 1}};
constexpr sys_seconds year_2100{sys_days{std::chrono::year{2100} / 1 / 1}};

// Empty when both say the same.
std::string differs(const time_zone& zone, const c_library_zone& theirs, sys_seconds at) {
    const auto ours = zone.offset_at(at);
    const auto them = theirs.at(at);
    const bool inside = ours.begin <= at && at < ours.end;
    if (inside && ours.offset.count() == them.tm_gmtoff && ours.dst == (them.tm_isdst > 0) &&
        ours.abbreviation == them.tm_zone)
        return {};
    return zone.name() + " at " + std::to_string(at.time_since_epoch().count()) + ": " +
           std::to_string(ours.offset.count()) + " " + std::string{ours.abbreviation} +
           ", but the C library has " + std::to_string(them.tm_gmtoff) + " " + them.tm_zone;
}

struct zone_census {
    int zones = 0;
    long instants = 0;
    std::vector<std::string> different;
};

void compare(const std::filesystem::path& folder, const std::string& name, std::mt19937_64& random,
             zone_census& of) {
    const auto zone = zone_from(folder, name);
    const c_library_zone theirs{folder / name};
    const auto look = [&](sys_seconds at) {
        ++of.instants;
        if (auto what = differs(zone, theirs, at); !what.empty()) of.different.push_back(std::move(what));
    };
    for (auto at = year_1900; at < year_2100; at = zone.offset_at(at).end) {
        for (const auto near : {-1s, 0s, 1s}) look(at + near);
    }
    // A transition that was overlooked shows here.
    std::uniform_int_distribution<std::int64_t> anywhere{year_1900.time_since_epoch().count(),
                                                         year_2100.time_since_epoch().count()};
    for (int n = 0; n < 300; ++n) look(sys_seconds{std::chrono::seconds{anywhere(random)}});
    ++of.zones;
}

void compare_all(const std::filesystem::path& folder) {
    std::mt19937_64 random{2026};
    zone_census of;
    for (const auto& name : zone_names(folder)) compare(folder, name, random, of);
    INFO((of.different.empty() ? "" : of.different.front()));
    CHECK(of.different.empty());
    CHECK(of.zones > 300);
    CHECK(of.instants > 100'000);
}

}  // namespace

TEST_CASE("every zone has the local times that the C library finds, from 1900 to 2100") {
    if (!std::filesystem::exists(zone_folder() / "Europe/London"))
        FAIL("there are no time zone files at /usr/share/zoneinfo: install tzdata");
    compare_all(zone_folder());
}

TEST_CASE("files with a transition for each year and files with a rule instead say the same") {
    const auto source = zone_folder() / "tzdata.zi";
    if (!std::filesystem::exists(source)) FAIL("there is no /usr/share/zoneinfo/tzdata.zi: install tzdata");
    const auto folder = std::filesystem::temp_directory_path() / ("errand-zones-" + std::to_string(getpid()));
    for (const std::string form : {"slim", "fat"}) {
        const auto command = "PATH=$PATH:/usr/sbin zic -b " + form + " -d " + (folder / form).string() + " " +
                             source.string() + " >/dev/null 2>&1";
        REQUIRE(std::system(command.c_str()) == 0);
        compare_all(folder / form);
    }
    std::filesystem::remove_all(folder);
}
