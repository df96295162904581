// What becomes of a schedule: at its declaration, when a tick is due, when a run has ended, when somebody changes it. Each
// function looks at a record and says what follows; stores write that down only if nothing has changed meanwhile.
#pragma once

#include "core/schedule_record.hpp"
#include "core/tick_plan.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace errand {

// Throws usage_error for a name that is unknown here.
using zone_source = std::function<std::shared_ptr<const time_zone>(std::string_view)>;

tick_plan plan_of(const schedule_record& record, const zone_source& zones);

// Sums with it stay far from overflow, and numbers of that size are exact everywhere.
inline constexpr time_point latest_tick{std::chrono::days{365'250}};

// Not yet ended ones: waiting for a retry as well.
enum class run_standing : std::uint8_t { unknown, open, ended };
struct last_run_seen {
    run_standing how = run_standing::unknown;
    time_point finished_at{};
};

struct planned_run {
    task_id id;
    task_body body;                         // all but its life
    std::optional<time_point> starts_at{};  // later than its tick
};

struct schedule_move {
    bool changed = false;
    schedule_record record{};         // as it is to be; of one that is not kept any more: of no meaning
    bool forgotten = false;           // it is kept no longer
    std::vector<planned_run> runs{};  // that are made with it
    std::int64_t room = std::numeric_limits<std::int64_t>::max();  // for so many more there is room
};

// What is declared: a record of which the members on top count, `state` (active or paused: how a new one begins), and
// `declared_at` of what a database has committed, which may come late and more than once: what was declared or cancelled
// since stays. `seen`: what is there; nothing when it is new. Not changed: that is what is there.
schedule_move declare(const std::optional<schedule_record>& seen, schedule_record declared, time_point now,
                      const last_run_seen& last, const zone_source& zones);

// So many runs as there are ticks due.
inline constexpr std::int64_t any_number_of_runs = std::numeric_limits<std::int64_t>::max();

// It stood where `next` or look_at() said that it is to be looked at; what was `overtaken` is cancelled by now, and
// no more in the record. Ticks that would make more than `room` runs are skipped.
schedule_move look(const schedule_record& record, time_point now, const last_run_seen& last,
                   const zone_source& zones, std::int64_t room = any_number_of_runs);

struct ended_run {
    task_id id;
    state ended_as = state::success;
    time_point finished_at{};
    schedule_wish wish{};
};
// `fires`: a tick that was put off until then is fired; else that is left to look().
schedule_move hear_end(const schedule_record& record, const ended_run& over, time_point now,
                       const zone_source& zones, bool fires = true);

schedule_move pause(const schedule_record& record);
schedule_move resume(const schedule_record& record, time_point now, const zone_source& zones);
schedule_move cancel(const schedule_record& record, time_point now);
// The record stays as it is.
planned_run run_now(const schedule_record& record, time_point now);
// A run for each planned tick from <= tick < to, at most so many; the record stays as it is.
// Throws usage_error when it has no planned ticks.
std::vector<planned_run> backfill(const schedule_record& record, time_point from, time_point to,
                                  std::size_t most, const zone_source& zones);
// How many those are. Throws likewise.
std::int64_t ticks_to_backfill(const schedule_record& record, time_point from, time_point to,
                               const zone_source& zones);
std::vector<time_point> upcoming(const schedule_record& record, std::size_t most, const zone_source& zones);

// When somebody is to look at it; nullopt: not before something else happens.
std::optional<time_point> look_at(const schedule_record& record, time_point now);

// "every 1h after each run", "every 90s", "once after 30s", or the cron line.
std::string timing_text(const schedule_timing& timing);

}  // namespace errand
