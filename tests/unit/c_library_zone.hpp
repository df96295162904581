// The C library's own time in a zone, which errand's is held against.
#pragma once

#include "core/time_zone.hpp"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace errand {

// As long as it stands the C library is in the zone of this file.
class c_library_zone {
public:
    explicit c_library_zone(const std::filesystem::path& file) {
        if (const char* const was = std::getenv("TZ")) before_ = was;
        setenv("TZ", (":" + file.string()).c_str(), 1);
        tzset();
    }
    ~c_library_zone() {
        if (before_) {
            setenv("TZ", before_->c_str(), 1);
        } else {
            unsetenv("TZ");
        }
        tzset();
    }
    c_library_zone(const c_library_zone&) = delete;
    c_library_zone& operator=(const c_library_zone&) = delete;

    std::tm at(std::chrono::sys_seconds instant) const {
        const auto seconds = static_cast<std::time_t>(instant.time_since_epoch().count());
        std::tm broken_down{};
        localtime_r(&seconds, &broken_down);
        return broken_down;
    }

private:
    std::optional<std::string> before_;
};

inline std::filesystem::path zone_folder() { return "/usr/share/zoneinfo"; }

inline time_zone zone_from(const std::filesystem::path& folder, const std::string& name) {
    std::ifstream file{folder / name, std::ios::binary};
    return time_zone::read(name, std::string{std::istreambuf_iterator<char>{file}, {}});
}

// Names of all zones below it, without the copies of all of them, and those that count leap seconds.
inline std::vector<std::string> zone_names(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& one : std::filesystem::recursive_directory_iterator{folder}) {
        const auto name = one.path().lexically_relative(folder).string();
        if (name.starts_with("right/") || name.starts_with("posix/") || !one.is_regular_file()) continue;
        std::string magic(4, '\0');
        std::ifstream{one.path(), std::ios::binary}.read(magic.data(), 4);
        if (magic == "TZif") names.push_back(name);
    }
    return names;
}

}  // namespace errand
