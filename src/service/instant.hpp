// Points in time as programs write them. Pure.
#pragma once

#include <errand/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace errand {

// RFC 3339 in UTC, to the millisecond: "2026-12-01T08:00:00.000Z".
std::string instant_text(time_point at);

// "2026-12-01T08:00:00Z": RFC 3339 with a zone; seconds and their fractions may be left out, a space may stand for the T.
std::optional<time_point> parse_instant(std::string_view text) noexcept;

}  // namespace errand
