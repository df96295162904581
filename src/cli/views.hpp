// The tables that several commands show. Pure.
#pragma once

#include <errand/inspect.hpp>

#include "cli/table.hpp"

#include <vector>

namespace errand::cli {

table queue_table(const std::vector<queue_info>& queues, time_point now);
// Tasks in one state: `when` is what one asks of that state.
table task_table(const std::vector<task_info>& tasks, time_point now);
table worker_table(const std::vector<worker_info>& workers, time_point now);
// What all workers run, the longest first.
table running_table(const std::vector<worker_info>& workers, time_point now);

}  // namespace errand::cli
