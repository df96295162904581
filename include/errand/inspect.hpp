#pragma once

#include <errand/awaitable.hpp>
#include <errand/figures.hpp>
#include <errand/settings.hpp>
#include <errand/state.hpp>
#include <errand/task_info.hpp>
#include <errand/time.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace errand {

namespace detail {
class app_core;
}

/// A queue at one moment.
struct queue_info {
    std::string name;                            ///< the queue's
    std::map<errand::state, std::size_t> tasks;  ///< how many in each state; ended ones while they are kept
    bool paused = false;                         ///< its tasks are not started
    std::optional<time_point> paused_since;      ///< nullopt when it is not
    /// Connections of workers that wait for a task of this queue; on a SQLite file the workers of it that have a slot free.
    std::size_t idle_workers = 0;
    std::optional<duration> oldest;  ///< since when the task that is next has been submitted
    double finished_per_second = 0;  ///< over the last minutes: ended in whatever way
    double failed_per_second = 0;    ///< over the last minutes: attempts that failed
    std::int64_t finished = 0;       ///< since the namespace was made: ended in whatever way
    std::int64_t failed = 0;  ///< since the namespace was made: attempts that failed and were tried again
    std::map<errand::state, std::int64_t> ended{};  ///< `finished`, by how

    /// How many tasks are in this state.
    [[nodiscard]] std::size_t count(errand::state in) const {
        const auto at = tasks.find(in);
        return at == tasks.end() ? 0 : at->second;
    }
};

/// A task that a worker runs at this moment.
struct running_info {
    std::string id;                        ///< the task's id
    std::string handler;                   ///< its wire name
    std::string queue;                     ///< that it was taken from
    int attempt = 1;                       ///< the one that runs, from 1
    std::optional<time_point> started_at;  ///< when that one began
};

/// A process that runs tasks.
struct worker_info {
    std::string name;                      ///< host, process id and a random part, as in its log
    std::string host;                      ///< of the machine
    std::int64_t pid = 0;                  ///< of the process
    std::string version;                   ///< of errand in it; empty when it does not say so
    std::vector<std::string> queues;       ///< that it serves
    std::vector<std::string> handlers;     ///< that it has, by their wire names
    std::size_t concurrency = 0;           ///< so many tasks at once
    std::optional<time_point> started_at;  ///< by the clock of its machine
    time_point alive_until{};              ///< it counts as gone when it gives no sign until then
    std::vector<running_info> running;     ///< what it runs now
    bool stopping = false;                 ///< it takes nothing new and ends when what it runs has ended
    /// Ids of tasks whose handlers have kept a thread of it to themselves for a second or longer, so that nothing else goes on
    /// there: known within some seconds, of those that have not waited for anything yet.
    std::vector<std::string> blocking{};
};

/// A handler that workers have, or of which something is set at run time.
struct handler_info {
    std::string name;                  ///< its wire name
    std::vector<std::string> workers;  ///< the names of those that have it
    settings_info set;                 ///< at run time
    /// What counts for a task whose submission has said nothing: the policy of the worker that was started last, with what is
    /// set over it; nullopt when no worker has it. A backoff that is a callable of the program's own is nullopt.
    std::optional<handler_settings> in_force;
};

/// What happened in a queue on one day (UTC).
struct day_info {
    std::string day;             ///< "2026-11-21"
    std::string queue;           ///< that the counts are of
    std::int64_t success = 0;    ///< tasks that ended so
    std::int64_t dead = 0;       ///< likewise
    std::int64_t cancelled = 0;  ///< likewise
    std::int64_t expired = 0;    ///< likewise
    std::int64_t failed = 0;     ///< attempts that were tried again
};

/// The outbox of a database of this app: what its transactions have submitted and the store has not yet.
struct outbox_info {
    std::string database;          ///< its URL, without the password
    std::size_t backlog = 0;       ///< tasks that wait in it now, those of transactions under way not counted
    duration oldest{0};            ///< how long the oldest of them has waited
    std::int64_t delivered = 0;    ///< by this program: right after their commit
    std::int64_t left_behind = 0;  ///< by this program: left behind by others, or while the store was away
    std::int64_t refused =
        0;  ///< by this program: those that the store did not take any more, see `last_refusal`
    std::string last_refusal;  ///< which task, and why; empty for none
    std::string trouble;       ///< why the database cannot be asked; empty when it can
};

/// The shelf: the database in which tasks wait that fall due far from now (`config::shelf`). They are `delayed`, and not among those
/// that are counted of a queue.
struct shelf_info {
    std::string database;                  ///< its URL, without the password
    std::size_t tasks = 0;                 ///< so many wait there, of this namespace
    std::optional<time_point> next_due{};  ///< when the first of them falls due
    std::vector<std::pair<time_point, std::size_t>>
        days{};  ///< how many of them on each day (UTC) on which some do
};

/// Which tasks are meant: those for which all that is given here holds.
struct task_filter {
    errand::state state = errand::state::ready;  ///< they are in this one
    std::string queue{};                         ///< empty: all queues
    std::string handler{};                       ///< the wire name; empty: all
    std::string biz_id{};                        ///< exactly this one; empty: all
    std::string tag{};                           ///< one of its tags is this; empty: all
    std::string error{};  ///< the type or text of its last error contains this; empty: all
};

/// In which order a list is.
enum class list_order : unsigned char {
    newest_first,  ///< by the time that one asks of the state: due, started, ended
    oldest_first,  ///< the other way round
};

/// A page of tasks.
struct task_page {
    std::vector<task_info> tasks;  ///< those that fit, in the order that was asked for
    std::string next;              ///< shown to list() again it gives the next page; empty: that was all
    std::size_t looked_at = 0;     ///< how many tasks the filter was held against
};

/// What changes in a task that has not started or is dead; what is not given stays.
struct task_change {
    std::optional<boost::json::array> args{};  ///< all of them
    std::optional<int> priority{};             ///< 0..9
    std::optional<time_point> due_at{};        ///< in the past: at once
};

/// What is done to many tasks.
enum class repair : unsigned char {
    run_now,  ///< `delayed` and `retry` ones become ready
    revive,   ///< `dead`, `cancelled` and `expired` ones start again, with what was cancelled because of them
    cancel,   ///< those that have not ended are cancelled
    remove,   ///< deleted
};

/// How far a repair of many tasks is.
struct repair_progress {
    std::size_t looked_at = 0;  ///< how many tasks the filter was held against
    std::size_t matched = 0;    ///< of these: that the filter means
    std::size_t changed = 0;    ///< in a dry run: would be
};

/// How a repair of many tasks is done.
struct repair_options {
    bool dry_run = false;                             ///< only counts
    std::size_t most = static_cast<std::size_t>(-1);  ///< so many tasks at most
    /// Called after every page; returning false stops the repair, which may be begun again.
    std::function<bool(const repair_progress&)> progress{};
};

/// Something in the store that contradicts the states of tasks.
struct finding {
    std::string kind;       ///< `lost`, `two_states`, `no_body`, `no_lease`, … : docs/inspect.md names all
    std::string subject;    ///< the id of the task; or the lease or counter that it is about
    std::string text;       ///< what is wrong, in words
    bool repaired = false;  ///< put right, in the step in which it was found
};

/// What a check-up found.
struct checkup {
    std::vector<finding> findings;  ///< the first 1000
    std::size_t found = 0;          ///< how many there are
    std::size_t repaired = 0;       ///< of these: put right
    std::size_t looked_at = 0;      ///< tasks and entries of lists
};

/// Looks at the tasks of a namespace and repairs what went wrong. From `app.inspect()`: a small value, copied freely, valid
/// as long as its app; any thread may use it. Everything throws store_error when the store cannot be reached.
///
/// Answers come from counters and by pages: nothing here holds up the store, however many tasks it has.
class inspector {
public:
    /// Made by app::inspect().
    explicit inspector(detail::app_core& app) noexcept : app_{&app} {}

    /// All queues that ever had a task, by name. Five round trips and one for each page of running tasks.
    [[nodiscard]] awaitable<std::vector<queue_info>> queues() const;

    /// A page of tasks in one state: ready ones in the order in which they are claimed (of each queue and shard), waiting
    /// ones by when they began to wait, delayed and retrying ones by when they are due, ended ones by their end; working
    /// ones in no order.
    /// A task that stays in its state while pages are read is given once; ready ones, which move, may come twice.
    /// @param after `next` of the page before; empty: from the beginning
    /// @param limit so many at most, 1..1000 (of working ones about so many). Fewer come when a filter matches few: `next`
    ///     says whether there may be more
    /// @throws usage_error when `after` is not such a text
    [[nodiscard]] awaitable<task_page> list(task_filter which, std::string after = {}, std::size_t limit = 50,
                                            list_order order = list_order::newest_first) const;

    /// One task in full; nullopt when it is not kept, or the text is no id.
    [[nodiscard]] awaitable<std::optional<task_info>> find(std::string id) const;

    /// The processes that run tasks, and what they run now.
    [[nodiscard]] awaitable<std::vector<worker_info>> workers() const;

    /// The handlers that live workers have, and those of which something is set at run time, by name. Two round trips.
    [[nodiscard]] awaitable<std::vector<handler_info>> handlers() const;

    /// What became of the attempts of the last hour, by handler: how many, how many failed, how long tasks waited and ran; and
    /// how many tasks wait for each, and since when.
    /// Workers sum up the former and send it once a minute and when they stop; what one has not sent when it is killed is lost.
    /// What waits is looked up: some 2,000 tasks, and where more wait it is an estimate. About ten round trips, one more for each
    /// 500 numbers, and up to six for each queue in which tasks wait (600 at most).
    [[nodiscard]] awaitable<figures_info> figures() const;

    /// The shards whose servers do not answer now, of several. What these keep is missing in queues(), list(), workers(),
    /// handlers() and history() meanwhile, each of which then takes a second longer. One round trip.
    [[nodiscard]] awaitable<std::vector<std::size_t>> away() const;

    /// What happened on the last days, the newest first; exact to the minute at midnight (UTC), kept for 400 days.
    /// @param days 1: only today
    [[nodiscard]] awaitable<std::vector<day_info>> history(int days = 10) const;

    /// The outboxes of the databases that this app has now. One round trip to each database.
    [[nodiscard]] awaitable<std::vector<outbox_info>> outboxes() const;

    /// What is on the shelf now, counted in its database, which takes it a while where there are many millions; nullopt: there is none.
    /// @throws store_error when the shelf is away, or is another one's
    [[nodiscard]] awaitable<std::optional<shelf_info>> shelf() const;

    /// No task of the queue is started from now on, on any worker; submissions go on, and so does what runs.
    /// @return false when it was paused already
    [[nodiscard]] awaitable<bool> pause(std::string queue) const;
    /// @return false when it was not paused
    [[nodiscard]] awaitable<bool> resume(std::string queue) const;

    /// Makes a `delayed` or `retry` task ready. @return false when it is in no such state or not kept
    [[nodiscard]] awaitable<bool> run_now(std::string id) const;
    /// Ends a task that has not ended. @return true when it is cancelled afterwards
    [[nodiscard]] awaitable<bool> cancel(std::string id) const;
    /// Starts a `dead`, `cancelled` or `expired` task again. @return false when it has not ended so or is not kept
    [[nodiscard]] awaitable<bool> revive(std::string id) const;
    /// Deletes a task with all that belongs to it; its biz_id is free at once. Who depends on one that had not ended sees it
    /// as cancelled. @return false when it is not kept or a worker runs it: cancel it first
    [[nodiscard]] awaitable<bool> remove(std::string id) const;
    /// Another due time for a task that does not run and has not ended; in the past: at once. As one step.
    /// @return false when it runs, has ended or is not kept
    [[nodiscard]] awaitable<bool> reschedule(std::string id, time_point due_at) const;
    /// Other arguments, priority or due time for a task that has never started, as one step. A `dead` one that gets other
    /// arguments (and another priority, where that is given) starts again with them at once, as by `revive`, in the same step.
    /// @return false when it has started, has ended otherwise or is not kept, or is a dead one for which a due time is given
    /// @throws usage_error naming what cannot be
    [[nodiscard]] awaitable<bool> change(std::string id, task_change what) const;

    /// Does one thing to all tasks that match, page by page; may be stopped and begun again at any time. Tasks of a shard that
    /// is away() are passed over.
    [[nodiscard]] awaitable<repair_progress> repair_all(task_filter which, repair what,
                                                        repair_options how = {}) const;

    /// Looks whether all that the store keeps agrees with itself: each task in exactly one state, no entry without a task,
    /// nothing that waits for something that will not come, leases, counters. Work goes on meanwhile. Memory: about 60 bytes
    /// for each ready and each kept successful task.
    /// @param repair whether what is found is put right, each in the same step
    /// @param progress called now and then with what was looked at so far; returning false ends the check-up
    [[nodiscard]] awaitable<checkup> check(bool repair = false,
                                           std::function<bool(const checkup&)> progress = {}) const;

private:
    detail::app_core* app_;
};

}  // namespace errand
