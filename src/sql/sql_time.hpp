// Times as databases print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// "2026-11-21 10:00:00.000", UTC.
std::string sql_time_text(std::int64_t ms_since_1970);

// A date, with or without a time, its fraction (what is finer than a millisecond is cut off) and its offset from UTC:
// "2026-11-21", "2026-11-21T10:00:00Z", "2026-11-21 10:00:00.123456+02". Nullopt for anything else.
std::optional<std::int64_t> parse_sql_time(std::string_view text) noexcept;

}  // namespace errand
