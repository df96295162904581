// Calls about many: what an array of items may be, and each item done by itself and answered in its place.
#pragma once

#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace errand::web {

// 1 to 1000 of them. Throws refusal.
const boost::json::array& need_items(const members& given, std::string_view name);
const boost::json::object& need_object(const boost::json::value& item, const std::string& path);

// The answer of one, or it throws. `path`: of the item, which begins the paths of its faults.
using item_answer =
    std::function<awaitable<boost::json::object>(const boost::json::value& item, std::string path)>;
// The member `error` of one that was refused.
using item_error = boost::json::object(const std::exception_ptr& why, const std::string& path);

// Of one that was to change something.
boost::json::object error_of_item(const std::exception_ptr& why, const std::string& path);

// All at the same time. `items` outlives the call; `name` is theirs in the body.
awaitable<boost::json::array> each_item(const boost::json::array& items, std::string name, item_answer done,
                                        item_error* error = error_of_item);

}  // namespace errand::web
