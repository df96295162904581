// Of which handlers the tasks are that wait. Stores count by queue alone, since a count for each handler would be a write for each
// task's way in and out; so it is looked up when somebody asks. On the store's executor.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace errand {

class store;
struct overview_answer;

struct handler_backlog {
    std::int64_t tasks = 0;
    std::optional<time_point> oldest{};  // was submitted then, of those that were looked at
};

struct backlogs {
    std::map<std::string, handler_backlog, std::less<>> of{};
    bool estimated = false;  // not all of them were looked at
};

// About so many entries are looked at; where more wait, those at both ends of a list stand for what is between them.
inline constexpr std::size_t backlog_sample = 2000;

// `seen`: what overview() has just said. Of the 300 lists at most that have the most (a queue has up to seven on each shard), up to
// 8 MB of tasks: four round trips, two for each list, and up to twenty more. What cannot be read makes it an estimate.
awaitable<backlogs> backlogs_by_handler(store& in, const overview_answer& seen);

}  // namespace errand
