// Which local time a zone has at which instant, and back.
#pragma once

#include "core/zone_rule.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// Never changed once it is there: any thread may ask it.
class time_zone {
public:
    // Without a file.
    static std::shared_ptr<const time_zone> utc();
    // From the bytes of a TZif file of any version (RFC 9636). Throws usage_error, which names the zone.
    static time_zone read(std::string name, std::string_view bytes);

    const std::string& name() const noexcept { return name_; }

    // begin <= instant < end.
    zone_span offset_at(std::chrono::sys_seconds instant) const;

private:
    friend class zone_file_reader;

    std::string name_ = "UTC";
    std::vector<std::chrono::sys_seconds> transitions_;  // rising
    std::vector<std::uint8_t> type_from_;  // of types_, from the transition of the same place on
    std::vector<zone_type> types_{zone_type{.offset = {}, .dst = false, .abbreviation = "UTC"}};
    std::optional<zone_rule> rule_;  // from the last transition on
};

// The latest time that clocks have shown until now, this instant included: where they were put back it was an earlier one.
std::chrono::local_seconds latest_shown(const time_zone& zone, std::chrono::sys_seconds now);

// The first instant at which clocks show this time or a later one: where it comes twice the first one, where it is left
// out the end of the gap.
std::chrono::sys_seconds first_instant(const time_zone& zone, std::chrono::local_seconds local);

}  // namespace errand
