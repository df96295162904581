#include "core/shelf_rules.hpp"

#include "core/whole_number.hpp"

#include <chrono>

namespace errand {

std::int64_t shelf_day(time_point due) noexcept {
    return std::chrono::floor<std::chrono::days>(due).time_since_epoch().count();
}

std::optional<std::int64_t> day_of_shelf_table(std::string_view name) noexcept {
    if (!name.starts_with(shelf_table_front)) return std::nullopt;
    return whole_number<std::int64_t>(name.substr(shelf_table_front.size()));
}

bool is_past_shelf_day(std::int64_t day, time_point now) noexcept { return day + 1 < shelf_day(now); }

bool follows_from_names(const task_id& id) noexcept {
    constexpr unsigned char drawn_by_chance = 7;
    return id.bytes[6] >> 4U != drawn_by_chance;
}

std::string encode_shelf_mark(std::uint64_t mark) {
    std::string record;
    for (int shift = 56; shift >= 0; shift -= 8) record.push_back(static_cast<char>(mark >> shift & 0xFFU));
    return record;
}

std::uint64_t decode_shelf_mark(std::string_view record) noexcept {
    std::uint64_t mark = 0;
    for (const char byte : record.substr(0, 8)) mark = mark << 8U | static_cast<unsigned char>(byte);
    return mark;
}

}  // namespace errand
