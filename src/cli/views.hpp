// How what was found is shown: as tables for people, as JSON (service/info_json) for programs. Pure.
#pragma once

#include <errand/graph.hpp>
#include <errand/inspect.hpp>
#include <errand/limit.hpp>
#include <errand/schedule.hpp>

#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "service/info_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <vector>

namespace errand::cli {

// What is missing while shards are away.
std::string away_text(const std::vector<std::size_t>& shards);
table queue_table(const std::vector<queue_info>& queues, time_point now);
// Tasks in one state: `when` is what one asks of that state.
table task_table(const std::vector<task_info>& tasks, time_point now);
table worker_table(const std::vector<worker_info>& workers, time_point now);
// What all workers run, the longest first.
table running_table(const std::vector<worker_info>& workers, time_point now);
table day_table(const std::vector<day_info>& days);

// What `errand top` shows at one moment.
struct top_view {
    std::string name_space;
    std::vector<queue_info> queues;
    std::vector<worker_info> workers;
    time_point now{};
    std::vector<std::size_t> away{};  // shards of which nothing is told
    figures_info figures{};
};

// @param size 0 for a side without limit
std::string frame_text(const top_view& view, screen_size size);

using errand::json_of;

// One element each, by json_of.
template <class T, class... More>
boost::json::array json_list(const std::vector<T>& all, const More&... more) {
    boost::json::array out;
    for (const auto& one : all) out.emplace_back(json_of(one, more...));
    return out;
}

}  // namespace errand::cli
