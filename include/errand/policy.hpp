#pragma once

#include <errand/backoff.hpp>
#include <errand/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace errand {

/// What happens to a submission whose biz_id is held by another task of the same handler.
enum class duplicate_rule : unsigned char {
    keep_first,  ///< runs nothing; the handle is to the first task
    replace,  ///< arguments and due time of a task that never started are replaced; else throws duplicate_task
    reject    ///< throws duplicate_task
};
/// For short, in policies and options.
inline constexpr duplicate_rule keep_first = duplicate_rule::keep_first;
/// Likewise.
inline constexpr duplicate_rule replace = duplicate_rule::replace;
/// Likewise.
inline constexpr duplicate_rule reject = duplicate_rule::reject;

/// What happens to a waiting task when one it depends on ends otherwise than by `success`.
enum class dependency_rule : unsigned char {
    cancel_dependents,  ///< it is cancelled, and so is what waits for it
    wait,               ///< until that one was revived, or submitted anew, and succeeded
    run,                ///< that counts as done
};
/// For short, in policies and options.
inline constexpr dependency_rule cancel_dependents = dependency_rule::cancel_dependents;
/// Likewise.
inline constexpr dependency_rule wait = dependency_rule::wait;
/// Likewise.
inline constexpr dependency_rule run = dependency_rule::run;

/// So many starts in so much time, over all workers.
struct rate_limit {
    int count = 0;       ///< starts, > 0
    duration per{1000};  ///< in this time
    int burst = 0;       ///< of these so many at one instant, 1..count; 0: as many as fall into 10 ms
    friend bool operator==(const rate_limit&, const rate_limit&) = default;
};
/// At most n starts a second.
constexpr rate_limit per_second(int n) noexcept { return {n, std::chrono::seconds{1}, 0}; }
/// At most n starts a minute.
constexpr rate_limit per_minute(int n) noexcept { return {n, std::chrono::minutes{1}, 0}; }

/// Items of a handler that are run together: `perform` takes a list of them, and `perform_async` one; docs/collect.md says more.
/// Times are counted from when a worker takes the item in, which is at once while one is free; and what comes before a worker
/// takes the run comes into it.
struct collect_rule {
    /// So many at most in one run, 1..10,000. One with 1 MiB of arguments is full, too.
    int max_size = 100;
    /// The run begins at the latest so long after its first item. One of the two times must be given.
    std::optional<duration> max_wait{};
    /// It begins when no item has come for so long.
    std::optional<duration> grace{};
    friend bool operator==(const collect_rule&, const collect_rule&) = default;
};

/// How the tasks of a handler are run. The arguments of ERRAND_HANDLER are designated initialisers of this; it is
/// checked when the handler is first used, and a bad value is a usage_error naming handler, member and value.
struct policy {
    /// The name on the wire; empty: the type's qualified name. Stays the same when the type is renamed.
    std::string name{};
    /// Earlier names, newest first: their tasks run here; the oldest is the identity under which biz_ids are held.
    std::vector<std::string> aliases{};
    /// The queue its tasks go to.
    std::string queue = "default";
    /// One attempt, its waiting for handles included; 0 = none.
    duration timeout = std::chrono::minutes{30};
    /// Retries after the first attempt.
    int max_retry = 25;
    /// How long to wait before each of them.
    errand::backoff backoff = errand::backoff::polynomial();
    /// 0..9 inside its queue, higher first.
    int priority = 0;
    /// How long a task that ended `success` still holds its biz_id, counted from its end; nullopt: as `retention`.
    std::optional<duration> unique_for{};
    /// What a second submission with the same biz_id does.
    duplicate_rule on_duplicate = duplicate_rule::keep_first;
    /// How long a finished task and its result are kept.
    duration retention = std::chrono::days{180};
    /// Not started this long after its due time: `expired`. nullopt: never.
    std::optional<duration> expires_after{};
    /// How many run at once over all workers, >= 0 (0: none); of a handler with `concurrency_key` how many of each key.
    /// nullopt: no limit. What is over it waits and is `ready`; docs/limits.md says more.
    std::optional<int> max_running{};
    /// Starts over all workers, of a handler with `rate_key` of each key: never more than `count` in any time of `per`, each
    /// attempt counted. nullopt: no limit.
    std::optional<rate_limit> rate{};
    /// Runs on the thread pool: for code that blocks or computes.
    bool blocking = false;
    /// A recurring task, of a handler whose perform takes no arguments: when, as a cron line. Empty: none. A worker that
    /// starts with this handler's code declares the schedule, with the key "policy"; one that starts without a line here
    /// cancels it. A line that never comes is a usage_error.
    std::string cron{};
    /// The time zone of `cron`, also of lines given to proxy::cron without one.
    std::string timezone = "UTC";
    /// Names of declared errand::limits that it shares with other handlers: at most 4, each once.
    std::vector<std::string> limits{};
    /// Gathers the tasks of a handler whose perform takes one std::vector and returns nothing, or a vector with a result for
    /// each item. Not with concurrency_key or rate_key. nullopt: each task runs by itself.
    std::optional<collect_rule> collect{};
    /// Where there is a shelf (`config::shelf`): a task that is submitted to fall due later than in so long waits there. 0: none does, and
    /// the shelf is not asked whether it has another one of the same biz_id. Tasks that have one and are submitted by a program
    /// that does not know the handler stay in the store.
    duration shelve_after = std::chrono::hours{1};
};

}  // namespace errand
