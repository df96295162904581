#include "shelf/day_columns.hpp"

#include "core/shelf_rules.hpp"
#include "shelf/rows.hpp"

#include <algorithm>

namespace errand::shelf {

sql::value day_columns::id(const task_id& of) const {
    return short_ ? sql::value{to_text(of)} : bytes_of(of.view());
}

std::vector<sql::value> day_columns::ids(const std::vector<task_id>& of, std::size_t from,
                                         std::size_t most) const {
    std::vector<sql::value> values;
    for (std::size_t at = from; at < std::min(of.size(), from + most); ++at) values.push_back(id(of[at]));
    return values;
}

std::int64_t day_columns::time(std::int64_t day, std::int64_t due) const {
    return short_ ? due - begin_of_shelf_day(day) : due;
}

std::int64_t day_columns::order(std::int64_t day, std::int64_t due, std::string_view id) const {
    return short_ ? shelf_place(day, due, id) : due;
}

}  // namespace errand::shelf
