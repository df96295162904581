#include "runtime/zone_files.hpp"

#include <errand/error.hpp>

#include "core/json_quote.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace errand {
namespace {

constexpr std::chrono::minutes look_apart{1};
// The largest zone has a few thousand bytes.
constexpr std::uintmax_t most_bytes = 1U << 20U;

[[noreturn]] void refuse_zone(std::string_view name, const std::string& why) {
    throw usage_error{"timezone = " + detail::quoted_extract(name) + ": " + why};
}

void check_zone_name(std::string_view name) {
    constexpr std::string_view others = "_+-/.";
    const bool plain = std::ranges::all_of(name, [&](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               others.find(c) != others.npos;
    });
    // It becomes a path below the folder, and nowhere else.
    const bool inside = !name.starts_with('/') && name.find("..") == name.npos;
    if (name.empty() || name.size() > 255 || !plain || !inside)
        refuse_zone(name, "is no name of a time zone, which look like \"Europe/London\"");
}

}  // namespace

std::filesystem::path zone_files::usual_folder() {
    const char* const given = std::getenv("TZDIR");
    return given != nullptr && *given != '\0' ? given : "/usr/share/zoneinfo";
}

zone_files::stamp zone_files::stamp_of(const std::string& name) const {
    std::error_code failed;
    const auto path = folder_ / name;
    if (std::filesystem::is_regular_file(path, failed)) {
        stamp of{.written = std::filesystem::last_write_time(path, failed), .size = 0};
        if (!failed) of.size = std::filesystem::file_size(path, failed);
        if (!failed && of.size <= most_bytes) return of;
        if (!failed) refuse_zone(name, "its file is not one of a time zone");
    }
    if (!std::filesystem::is_directory(folder_, failed)) {
        refuse_zone(name, "there are no time zone files at " + folder_.string() +
                              ": install tzdata, or set TZDIR to where they are (UTC alone needs none)");
    }
    refuse_zone(
        name,
        "there is no such time zone below " + folder_.string() +
            ": names look like \"Europe/London\"; old ones are in the package tzdata-legacy on some systems");
}

zone_files::entry zone_files::read(const std::string& name, clock::time_point now) const {
    const auto of = stamp_of(name);
    std::ifstream file{folder_ / name, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    if (!file.is_open() || file.bad())
        refuse_zone(name, "its file below " + folder_.string() + " cannot be read");
    return {.zone = std::make_shared<const time_zone>(time_zone::read(name, bytes)), .of = of, .looked = now};
}

void zone_files::look_again(entry& at, const std::string& name, clock::time_point now) const {
    at.looked = now;
    try {
        if (stamp_of(name) != at.of) at = read(name, now);
    } catch (const usage_error&) {
        // The one that was read before goes on.
    }
}

std::shared_ptr<const time_zone> zone_files::find(std::string_view name, clock::time_point now) {
    if (name == "UTC") return time_zone::utc();
    const std::scoped_lock held{lock_};
    auto found = read_.find(name);
    if (found == read_.end()) {
        check_zone_name(name);
        const std::string key{name};
        found = read_.emplace(key, read(key, now)).first;
    } else if (now - found->second.looked >= look_apart) {
        look_again(found->second, found->first, now);
    }
    return found->second.zone;
}

}  // namespace errand
