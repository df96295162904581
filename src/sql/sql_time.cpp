#include "sql/sql_time.hpp"

#include "core/iso_time.hpp"

namespace errand {

std::string sql_time_text(std::int64_t ms_since_1970) {
    return iso_time_text(time_point{duration{ms_since_1970}}, ' ');
}

std::optional<std::int64_t> parse_sql_time(std::string_view text) noexcept {
    const auto read = scan_iso_time(text);
    if (!read) return std::nullopt;
    const auto at =
        time_point{read->day} + read->clock.value_or(duration{0}) - read->ahead.value_or(duration{0});
    return at.time_since_epoch().count();
}

}  // namespace errand
