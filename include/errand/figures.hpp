#pragma once

#include <errand/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace errand {

/// How long something took, of many. A value at a percentile is rounded up by at most a quarter.
struct time_figures {
    std::int64_t count = 0;             ///< of so many; 0: all else says nothing
    std::chrono::microseconds p50{0};   ///< half of them took no longer
    std::chrono::microseconds p90{0};   ///< nine of ten
    std::chrono::microseconds p95{0};   ///< 95 of 100
    std::chrono::microseconds p99{0};   ///< 99 of 100
    std::chrono::microseconds most{0};  ///< all
};

/// What became of the attempts of one handler, and what waits for it.
struct handler_figures {
    std::string handler{};      ///< its wire name
    std::int64_t runs = 0;      ///< attempts that were started and have ended
    std::int64_t failures = 0;  ///< of these: failed, and are tried again
    std::int64_t dead = 0;      ///< of these: failed, and are not
    /// None of these: attempts whose worker gave no sign of life, so that another took the task over.
    std::int64_t lost = 0;
    /// From when a task was due until its first attempt started; not of tasks that depended on others, which have no such time.
    time_figures wait{};
    time_figures run{};  ///< from the start of an attempt to its end
    /// From the submission of a task to its end, with all its attempts and delays; of tasks that succeeded or died.
    time_figures total{};
    /// Tasks that have neither ended nor are running, now, by the name under which they were submitted, and without what is on
    /// the shelf; see figures_info::estimated.
    std::int64_t backlog = 0;
    /// Since when the oldest of them has been submitted; nullopt: there is none.
    std::optional<duration> oldest{};
};

/// What happened in a namespace lately.
struct figures_info {
    duration over{0};  ///< the time that runs, failures and percentiles are of: 60 to 70 minutes
    std::vector<handler_figures>
        handlers{};  ///< by name; those of which a task waits, or an attempt has ended or was lost in that time
    handler_figures all{};     ///< of all of them together, without a name
    std::int64_t backlog = 0;  ///< tasks that have neither ended nor are running, now
    std::optional<duration>
        oldest{};  ///< since when the one that is next has been submitted, of all queues the longest
    /// Not all that wait could be looked at, as where they are more than some 2,000, or 8 MB, or in more than a hundred queues:
    /// each handler's `backlog` is an estimate by those at both ends of each queue's lists, so that one of which few tasks wait
    /// in the middle of others' may be missing, and `oldest` is that of those which were looked at.
    bool estimated = false;
};

}  // namespace errand
