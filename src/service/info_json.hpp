// What was found, as JSON for programs. Pure.
//
// The shapes are those of docs/cli.md: times are RFC 3339, lengths of time milliseconds, what is not known is null.
#pragma once

#include <errand/graph.hpp>
#include <errand/inspect.hpp>
#include <errand/limit.hpp>
#include <errand/quota.hpp>
#include <errand/schedule.hpp>
#include <errand/settings.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace errand {

boost::json::value json_of(const std::optional<time_point>& at);
boost::json::value json_of(const std::optional<duration>& length);
boost::json::value json_of(const std::optional<rate_limit>& rate);
boost::json::object json_of(const task_error& error);
boost::json::object json_of(const task_stage& stage);
boost::json::object json_of(const task_info& task);
boost::json::object json_of(const queue_info& queue);
boost::json::object json_of(const worker_info& worker, time_point now);
boost::json::object json_of(const day_info& day);
boost::json::object json_of(const task_graph& graph);
boost::json::object json_of(const finding& one);
boost::json::object json_of(const checkup& seen);
boost::json::object json_of(const schedule_info& one);
boost::json::object json_of(const limit_info& one);
boost::json::object json_of(const quota_info& seen);
boost::json::object json_of(const figures_info& seen);
boost::json::object json_of(const handler_settings& values);
boost::json::object json_of(const settings_info& set);
boost::json::object json_of(const handler_info& one);

// One element each, by json_of.
template <class T, class... More>
boost::json::array json_array_of(const std::vector<T>& all, const More&... more) {
    boost::json::array out;
    for (const auto& one : all) out.emplace_back(json_of(one, more...));
    return out;
}

}  // namespace errand
