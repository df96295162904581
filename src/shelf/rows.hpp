// Rows of the shelf as tasks, and the other way round.
#pragma once

#include <errand/error.hpp>
#include <errand/sql.hpp>

#include "core/record.hpp"
#include "core/task_id.hpp"
#include "shelf/board.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand::shelf {

using row = std::vector<sql::value>;

inline sql::value bytes_of(std::string_view text) {
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return sql::bytes{data, data + text.size()};
}

inline std::int64_t ms_of(time_point at) { return at.time_since_epoch().count(); }

[[noreturn]] inline void refuse_row() {
    throw bad_data{"the shelf has a row that errand did not write: look at its tables errand_shelf…"};
}

inline std::int64_t number_of(const row& of, std::size_t at) {
    if (const auto* number = std::get_if<std::int64_t>(&of.at(at))) return *number;
    refuse_row();
}

inline time_point time_of(const row& of, std::size_t at) { return time_point{duration{number_of(of, at)}}; }

inline std::string text_of(const row& of, std::size_t at) {
    if (const auto* text = std::get_if<std::string>(&of.at(at))) return *text;
    if (const auto* bytes = std::get_if<sql::bytes>(&of.at(at)))
        return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    refuse_row();
}

// As bytes, or as the UUID that it is.
inline task_id id_of(const row& of, std::size_t at) {
    const auto text = text_of(of, at);
    if (const auto id = task_id::from_bytes(text)) return *id;
    if (const auto id = parse_task_id(text)) return *id;
    refuse_row();
}

inline arrival arrival_of(const shelved_task& one) { return {one.id, incarnation_of(one.body)}; }

inline void append_tasks(std::vector<shelved_task>& to, const sql::result& rows) {
    for (const auto& one : rows.rows) to.push_back({id_of(one, 0), time_of(one, 1), text_of(one, 2)});
}

// What a statement that is awaited is given. Of a braced list in there GCC may not keep the array for so long.
template <class... Values>
row row_with(Values... values) {
    return {sql::value{std::move(values)}...};
}

// The namespace, and so many of the ids.
inline row values_of(std::int64_t space, const std::vector<task_id>& ids, std::size_t from,
                     std::size_t most) {
    row values{space};
    for (std::size_t at = from; at < std::min(ids.size(), from + most); ++at)
        values.emplace_back(bytes_of(ids[at].view()));
    return values;
}

}  // namespace errand::shelf
