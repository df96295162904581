// What a store keeps of a schedule, and its encoding. Stores look only at the two fields at the front.
#pragma once

#include <errand/schedule.hpp>

#include "core/record.hpp"
#include "core/task_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// When it ticks.
struct schedule_timing {
    std::string cron{};      // a cron line; empty: an interval
    std::string timezone{};  // of a cron line
    duration interval{0};
    schedule_mode mode = schedule_mode::blocking_interval;
    std::optional<time_point> begin{}, end{};
    friend bool operator==(const schedule_timing&, const schedule_timing&) = default;
};

// How it goes on.
struct schedule_terms {
    std::optional<std::int64_t> max_runs{};
    overlap_rule overlap = overlap_rule::allow;
    missed_rule missed = missed_rule::run_once;
    int missed_cap = 100;
    duration jitter{0};
    bool pause_on_dead = false;
    friend bool operator==(const schedule_terms&, const schedule_terms&) = default;
};

struct schedule_record {
    // Front, fixed: [0..7] stamp, [8..23] id of the last run (zeros before the first).
    static constexpr std::size_t stamp_length = 8;
    static constexpr std::size_t last_run_offset = 8;

    std::uint64_t stamp = 0;  // another with each change
    task_id last_run{};

    // As it was declared.
    std::string identity;  // of the handler: under which the key is held
    std::string key;
    bool in_first_shard = false;  // it stands there, with its runs
    schedule_timing timing;
    schedule_terms terms;
    task_body run;  // what its runs are made of; `args` of the next one
    std::string declared_args;

    // What became of it.
    schedule_state state = schedule_state::active;
    time_point created{};
    time_point timed{};  // since when it has this timing
    time_point ended{};  // finished or cancelled
    time_point
        declared_at{};  // when what it is declared as was; of a declaration that came by itself: nothing
    std::optional<time_point>
        next;             // the tick it waits for; of one that waits for the end of its last run: none
    bool chosen = false;  // a run has asked for that tick
    std::optional<time_point> queued;  // a tick that waits for the end of the last run
    std::vector<task_id> overtaken;    // runs that are to be cancelled, as another one has taken their place
    std::optional<time_point> last_tick;
    std::int64_t runs = 0, skipped = 0, missed = 0;
    std::int64_t untold = 0;  // missed since the last run
    friend bool operator==(const schedule_record&, const schedule_record&) = default;
};

std::string encode(const schedule_record& record);
// Throws bad_data when the bytes are not such a record.
schedule_record decode_schedule(std::string_view bytes);

// Which schedule of the handler; `key` as given, or as default_schedule_key() makes it.
task_id derive_schedule_id(std::string_view identity, std::string_view key);
task_id id_of(const schedule_record& record);
std::string default_schedule_key(const schedule_timing& timing, std::string_view args);

}  // namespace errand
