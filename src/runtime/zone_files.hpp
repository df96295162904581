// The machine's time zone files, each read when its zone is first asked for, and again when it has changed.
//
// Invariant: a zone that was there stays: while its file is away or broken (tzdata is being replaced) the one read before
// serves on.
#pragma once

#include "core/time_zone.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace errand {

// Any thread.
class zone_files {
public:
    using clock = std::chrono::steady_clock;

    // What TZDIR names, else /usr/share/zoneinfo.
    static std::filesystem::path usual_folder();

    explicit zone_files(std::filesystem::path folder = usual_folder()) : folder_{std::move(folder)} {}

    // "UTC" needs no file. Looks at a file once a minute at most. Throws usage_error, which names the zone and says what to do.
    std::shared_ptr<const time_zone> find(std::string_view name, clock::time_point now = clock::now());

private:
    // By which a changed file is known.
    struct stamp {
        std::filesystem::file_time_type written;
        std::uintmax_t size = 0;
        friend bool operator==(const stamp&, const stamp&) = default;
    };
    struct entry {
        std::shared_ptr<const time_zone> zone;
        stamp of;
        clock::time_point looked;
    };

    entry read(const std::string& name, clock::time_point now) const;
    void look_again(entry& at, const std::string& name, clock::time_point now) const;
    stamp stamp_of(const std::string& name) const;

    std::filesystem::path folder_;
    std::mutex lock_;
    std::map<std::string, entry, std::less<>> read_;
};

}  // namespace errand
