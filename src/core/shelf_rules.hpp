// What waits on the shelf, where, and until when: tasks that are due far from now stand in a database, in one table for each day on
// which they fall due. Pure.
#pragma once

#include <errand/time.hpp>

#include "core/submission_rules.hpp"
#include "core/task_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// Of the rows, and of what stands beside them.
inline constexpr std::int64_t shelf_format = 2;
// The settings record by which a namespace knows its shelf: eight bytes, the shelf's mark.
inline constexpr std::string_view shelf_record_name = "\x01shelf";

// Whether what is due then is put there. What workers would bring at once is not.
constexpr bool goes_on_shelf(time_point due, time_point now, std::optional<duration> shelve_after,
                             duration ahead) noexcept {
    return shelve_after && due - now > *shelve_after && due - now > ahead;
}

// Days since 1970, rounded down.
std::int64_t shelf_day(time_point due) noexcept;
// In ms since 1970.
std::int64_t begin_of_shelf_day(std::int64_t day) noexcept;
// Where what is due then, with an id that begins so, stands among the rows of that day where these are in the order of one number (`place`
// in shelf/sql/postgres.sql); what is due on another day before or behind all of them.
std::int64_t shelf_place(std::int64_t day, std::int64_t due, std::string_view id) noexcept;

// Of a namespace, by its number there, and a day.
std::string shelf_table(std::int64_t space, std::int64_t day);
// Of the name of a table of that namespace; nullopt: it is none of those.
std::optional<std::int64_t> day_of_shelf_table(std::int64_t space, std::string_view name);
// Nothing is put there any more: it ended more than a day ago, so that clocks that differ by hours do not matter.
bool is_past_shelf_day(std::int64_t day, time_point now) noexcept;

// Not drawn by chance: whoever knows the names makes the same one.
bool follows_from_names(const task_id& id) noexcept;
// It may be submitted again, also by others: the shelf keeps one of each. A chosen id comes with another rule than `keep`.
inline bool may_be_held(const task_id& id, on_conflict conflict) noexcept {
    return follows_from_names(id) || conflict != on_conflict::keep;
}

// What a shelf and a store that belong together have in common, as the record; the mark is not 0.
std::string encode_shelf_mark(std::uint64_t mark);
// 0: there is no record.
std::uint64_t decode_shelf_mark(std::string_view record) noexcept;

}  // namespace errand
