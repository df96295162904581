#include "service/instant.hpp"

#include "core/iso_time.hpp"

namespace errand {

std::string instant_text(time_point at) { return iso_time_text(at) + 'Z'; }

std::optional<time_point> parse_instant(std::string_view text) noexcept {
    const auto found = scan_iso_time(text);
    if (!found || !found->clock || !found->ahead || *found->clock >= std::chrono::days{1})
        return std::nullopt;
    return found->day + *found->clock - *found->ahead;
}

}  // namespace errand
