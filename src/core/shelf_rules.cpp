#include "core/shelf_rules.hpp"

#include "core/whole_number.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace errand {

namespace {

constexpr std::int64_t ms_per_day = std::chrono::milliseconds{std::chrono::days{1}}.count();

std::string front_of_tables(std::int64_t space) { return "errand_shelf_" + std::to_string(space) + "_d"; }

}  // namespace

std::int64_t shelf_day(time_point due) noexcept {
    return std::chrono::floor<std::chrono::days>(due).time_since_epoch().count();
}

std::int64_t begin_of_shelf_day(std::int64_t day) noexcept { return day * ms_per_day; }

// The two bytes are those of which most is random in ids of any kind: what is due at one time is in thousands of places.
std::int64_t shelf_place(std::int64_t day, std::int64_t due, std::string_view id) noexcept {
    constexpr std::size_t first = 6, bytes = 2;
    const auto begin = begin_of_shelf_day(day);
    auto place = std::clamp(due, begin - 1, begin + ms_per_day) - begin;
    for (std::size_t at = first; at < first + bytes; ++at)
        place = place * 256 + (at < id.size() ? static_cast<unsigned char>(id[at]) : 0);
    return place;
}

std::string shelf_table(std::int64_t space, std::int64_t day) {
    return front_of_tables(space) + std::to_string(day);
}

std::optional<std::int64_t> day_of_shelf_table(std::int64_t space, std::string_view name) {
    const auto front = front_of_tables(space);
    if (!name.starts_with(front)) return std::nullopt;
    return whole_number<std::int64_t>(name.substr(front.size()));
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
