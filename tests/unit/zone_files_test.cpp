#include <errand/error.hpp>

#include "runtime/zone_files.hpp"
#include "unit/c_library_zone.hpp"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

using namespace errand;
using namespace std::chrono_literals;

namespace {

// A folder of zones of one's own.
class own_zones {
public:
    own_zones() { std::filesystem::create_directories(path / "Europe"); }
    ~own_zones() { std::filesystem::remove_all(path); }
    own_zones(const own_zones&) = delete;
    own_zones& operator=(const own_zones&) = delete;

    void put(const std::string& name, const std::string& as) const {
        std::filesystem::copy_file(zone_folder() / name, path / as,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    void write(const std::string& as, const std::string& bytes) const { std::ofstream{path / as} << bytes; }

    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("errand-own-zones-" + std::to_string(getpid()));
};

std::string zone_file_refusal(zone_files& files, std::string_view name) {
    try {
        files.find(name);
    } catch (const usage_error& why) {
        return why.what();
    }
    return "found";
}

std::chrono::seconds summer(const time_zone& zone) {
    return zone.offset_at(std::chrono::sys_days{std::chrono::year{2026} / 7 / 1}).offset;
}

}  // namespace

TEST_CASE("a zone is read once, and a changed file is noticed within a minute") {
    const own_zones folder;
    folder.put("Europe/London", "Europe/Here");
    zone_files files{folder.path};
    zone_files::clock::time_point now{};
    const auto first = files.find("Europe/Here", now);
    CHECK(summer(*first) == 1h);
    folder.put("Europe/Athens", "Europe/Here");
    CHECK(files.find("Europe/Here", now + 59s) == first);
    const auto second = files.find("Europe/Here", now + 60s);
    CHECK(summer(*second) == 3h);
    // Who still has the old one keeps it.
    CHECK(summer(*first) == 1h);
    CHECK(files.find("Europe/Here", now + 180s) == second);
}

TEST_CASE("a zone that was there stays while its file is away or broken") {
    const own_zones folder;
    folder.put("Europe/London", "Europe/Here");
    zone_files files{folder.path};
    zone_files::clock::time_point now{};
    const auto first = files.find("Europe/Here", now);
    std::filesystem::remove(folder.path / "Europe/Here");
    CHECK(files.find("Europe/Here", now + 60s) == first);
    folder.write("Europe/Here", "TZif");
    CHECK(files.find("Europe/Here", now + 120s) == first);
    folder.put("Europe/Athens", "Europe/Here");
    CHECK(summer(*files.find("Europe/Here", now + 180s)) == 3h);
}

TEST_CASE("a zone that cannot be had is refused with what to do") {
    const own_zones folder;
    folder.write("Europe/Text", "no zone at all");
    zone_files files{folder.path};
    const auto below = folder.path.string();
    CHECK(
        zone_file_refusal(files, "Europe/Atlantis") ==
        "timezone = \"Europe/Atlantis\": there is no such time zone below " + below +
            ": names look like \"Europe/London\"; old ones are in the package tzdata-legacy on some systems");
    CHECK(
        zone_file_refusal(files, "Europe").starts_with("timezone = \"Europe\": there is no such time zone"));
    CHECK(zone_file_refusal(files, "Europe/Text") ==
          "timezone = \"Europe/Text\": its file is not one of a time zone");
    for (const std::string name : {"", "/etc/passwd", "../etc/passwd", "Europe/../../x", "a b", "x\ny"}) {
        INFO(name);
        CHECK(zone_file_refusal(files, name)
                  .ends_with("is no name of a time zone, which look like \"Europe/London\""));
    }
    zone_files none{folder.path / "nowhere"};
    CHECK(zone_file_refusal(none, "Europe/London") ==
          "timezone = \"Europe/London\": there are no time zone files at " + below +
              "/nowhere: install tzdata, or set TZDIR to where they are (UTC alone needs none)");
    CHECK(none.find("UTC") == time_zone::utc());
}
