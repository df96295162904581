#pragma once

#include <errand/awaitable.hpp>
#include <errand/json.hpp>
#include <errand/options.hpp>
#include <errand/time.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

template <class T>
class handle;

namespace detail {
class app_core;
}

/// When an `every` schedule ticks.
enum class schedule_mode : unsigned char {
    blocking_interval,  ///< the interval begins when a run has ended, after its last retry: runs never overlap
    fixed_rate,         ///< on a grid, whatever the last run does
    once                ///< one time
};
/// For short, in policies and options.
inline constexpr schedule_mode blocking_interval = schedule_mode::blocking_interval;
/// Likewise.
inline constexpr schedule_mode fixed_rate = schedule_mode::fixed_rate;
/// Likewise.
inline constexpr schedule_mode once = schedule_mode::once;

/// What a tick does while the schedule's last run has not ended; one that waits for a retry has not.
enum class overlap_rule : unsigned char {
    allow,          ///< it runs as well
    skip,           ///< no run; it counts as skipped
    queue_one,      ///< it runs when that one has ended; of several such ticks the newest
    cancel_running  ///< that one is cancelled, and it runs
};

/// What becomes of ticks that nobody fired in time, because no worker was there.
enum class missed_rule : unsigned char {
    run_once,  ///< the newest of them runs
    run_all,   ///< the newest `missed_cap` of them run; the newest alone where runs may not overlap
    skip  ///< the newest runs if it (of ticks a minute apart or less: the oldest) is less than a minute late, else none
};

/// How a schedule goes on. Every member has a default. A bad value is a usage_error naming the member.
struct schedule_options {
    /// What tells it from other schedules of the handler: declaring it again updates it. Empty: from timing and arguments.
    std::string key{};
    /// No tick before it.
    std::optional<time_point> begin{};
    /// No tick at it or after it.
    std::optional<time_point> end{};
    /// It is finished after so many runs. Runs made by hand, skipped and missed ticks do not count.
    std::optional<std::int64_t> max_runs{};
    /// Of `every` alone.
    schedule_mode mode = schedule_mode::blocking_interval;
    /// Of `cron` alone; empty: the policy's.
    std::string timezone{};
    /// What a tick does while the last run has not ended. Intervals that block never overlap.
    overlap_rule overlap = overlap_rule::allow;
    /// What becomes of ticks that nobody fired in time.
    missed_rule missed = missed_rule::run_once;
    /// How many of them `run_all` runs at most, 1..1000.
    int missed_cap = 100;
    /// A run is put off by up to so much, each tick by a length of its own, the same wherever it is asked.
    duration jitter{0};
    /// It begins paused. Nothing to a schedule that is there.
    bool paused = false;
    /// A run that ends dead pauses it.
    bool pause_on_dead = false;
    /// What its runs do otherwise than the policy: queue, priority, timeout, max_retry, expires_after, retention, headers,
    /// tags. Others are refused.
    options run{};
};

/// Where a schedule is in its life.
enum class schedule_state : unsigned char {
    active,     ///< it ticks
    paused,     ///< it ticks no more until it is resumed; what was missed meanwhile is not made up
    finished,   ///< no tick is left, its runs are used up, or a run has stopped it; kept for 30 days
    cancelled,  ///< kept for 30 days
};
/// "active", "paused", "finished" or "cancelled".
[[nodiscard]] std::string_view to_string(schedule_state value) noexcept;

/// What the store knows of a schedule at one moment.
struct schedule_info {
    std::string id;        ///< by which errand schedules and the HTTP service name it
    std::string key;       ///< its own among those of its handler
    std::string handler;   ///< the wire name
    std::string timing;    ///< "every 1h after each run", "every 1min", "once after 30s", or the cron line
    std::string timezone;  ///< of a cron line; empty otherwise
    schedule_state state = schedule_state::active;  ///< whether it ticks
    std::optional<time_point>
        next_at;  ///< the tick that it waits for; none while it waits for the end of a run
    std::optional<time_point> last_tick;   ///< that was fired; none before the first
    std::string last_run;                  ///< the id of the last run; empty before the first
    std::int64_t runs = 0;                 ///< ticks that were fired
    std::int64_t skipped = 0;              ///< ticks that were skipped because the last run had not ended
    std::int64_t missed = 0;               ///< ticks that nobody fired in time
    boost::json::array args;               ///< of its next run
    std::string queue;                     ///< of its runs
    std::optional<std::int64_t> max_runs;  ///< it is finished after so many; nullopt: no limit
    std::optional<time_point> begin;       ///< no tick is before it
    std::optional<time_point> end;         ///< no tick is after it
    time_point created_at{};               ///< by the clock of the store
};

/// Which schedules are meant.
struct schedule_filter {
    std::string handler{};                  ///< the wire name; empty: all
    std::optional<schedule_state> state{};  ///< nullopt: all
    std::size_t limit = 100;                ///< so many at most, 1..1000
};

/// A page of schedules, by handler and key.
struct schedule_page {
    std::vector<schedule_info> schedules;  ///< by handler and key
    std::string next;  ///< shown to app::schedules() again it gives the next page; empty: that was all
};

/// A recurring task, from `proxy::every`, `proxy::cron` or `app::find_schedule`: a small value, valid as long as its app;
/// any thread may use it. The store keeps the schedule; any worker of the namespace fires it.
///
/// All calls throw store_error, and usage_error when the schedule is not there any more. About two round trips each.
class schedule {
public:
    /// Made by the app.
    schedule(detail::app_core& app, std::array<unsigned char, 16> id) noexcept : app_{&app}, id_{id} {}

    /// The same for the same handler and key.
    [[nodiscard]] std::string id() const;
    /// What the store knows of it now.
    [[nodiscard]] awaitable<schedule_info> info() const;
    /// No ticks from now on; runs that are there go on. @return false when it was not active
    awaitable<bool> pause() const;
    /// Goes on with the first tick from now on. @return false when it was not paused
    awaitable<bool> resume() const;
    /// Ends it; runs that are there go on. Declaring it again begins anew. @return false when it was cancelled before
    awaitable<bool> cancel() const;
    /// Makes a run now, whatever the state of the schedule and its rules.
    awaitable<handle<boost::json::value>> run_now() const;
    /// Makes a run for each tick that it has, or would have had, from <= tick < to, until now, and that has none.
    /// @return how many runs were made
    /// @throws usage_error when its ticks follow from the ends of its runs, for times that are not in order, or for more than
    /// 100,000 ticks
    awaitable<std::size_t> backfill(time_point from, time_point to) const;
    /// Its next planned ticks, as if nothing happened meanwhile; none of one that is not active. One round trip.
    [[nodiscard]] awaitable<std::vector<time_point>> upcoming(std::size_t most = 5) const;

private:
    detail::app_core* app_;
    std::array<unsigned char, 16> id_;
};

/// The schedule of the run that calls: `self.schedule()`. What is asked for here takes effect when this attempt ends well, in
/// the same step; what an attempt that fails has asked for is dropped. On the attempt's threads only.
class schedule_run {
public:
    schedule_run(const schedule_run&) = delete;
    schedule_run& operator=(const schedule_run&) = delete;
    virtual ~schedule_run() = default;

    /// The key of the schedule.
    [[nodiscard]] virtual const std::string& key() const = 0;
    /// The tick that this run was made for; of one made by hand: when it was made.
    [[nodiscard]] virtual time_point tick() const = 0;
    /// How many ticks were missed since the run before.
    [[nodiscard]] virtual std::int64_t missed() const = 0;
    /// Which of the schedule's ticks this run was made for, 1 for the first that was fired; of one that was made by hand how many
    /// had been fired by then.
    [[nodiscard]] virtual std::int64_t runs() const = 0;
    /// The next tick is then; the planned ones after it stay as they are. In the past: at once. At or after the schedule's
    /// `end`: it is finished. @throws usage_error for a time after the year 2969
    virtual void next_at(time_point when) = 0;
    /// The same of a time of another precision, which is rounded up to the millisecond.
    template <class Duration>
    void next_at(std::chrono::sys_time<Duration> when) {
        next_at(std::chrono::ceil<duration>(when));
    }
    /// No more ticks.
    virtual void stop() = 0;
    /// Later runs get these arguments, also when a program that declares the schedule as before is started anew.
    /// @throws bad_data for one that JSON cannot hold, or when they are not what `perform` takes
    template <class... A>
    void set_args(const A&... args) {
        boost::json::array all;
        all.reserve(sizeof...(A));
        (all.push_back(to_json(args)), ...);
        use_args(std::move(all));
    }

protected:
    schedule_run() = default;

private:
    virtual void use_args(boost::json::array args) = 0;
};

}  // namespace errand
