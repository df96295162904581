#pragma once

#include <errand/backoff.hpp>
#include <errand/policy.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace errand {

/// What is set of a handler at run time, for all programs of the namespace. It goes before the policy of the handler, and
/// what a submission said itself goes before it. Every member that is not given leaves the policy as it is. A bad value is a
/// usage_error naming the member.
///
/// What is decided at an attempt counts for tasks that were submitted before, too; what is decided at the submission counts
/// for those that come after. Programs hear of a change within moments, and of one whose message was lost within seconds.
struct handler_settings {
    /// Retries after the first attempt. Decided when an attempt has failed.
    std::optional<int> max_retry{};
    /// One attempt, its waiting for handles included; 0 = none. Decided when the attempt starts.
    std::optional<duration> timeout{};
    /// How long to wait before each retry: polynomial, exponential or uniform; a callable cannot be kept by the store. Decided
    /// when an attempt has failed.
    std::optional<errand::backoff> backoff{};
    /// 0..9 inside its queue, higher first. Decided at the submission, of schedules' runs at the declaration by the policy
    /// alone.
    std::optional<int> priority{};
    /// How long a finished task and its result are kept. Decided at the end of the last attempt; of tasks that end without one,
    /// at the submission.
    std::optional<duration> retention{};
    /// Not started this long after its due time: `expired`; 0 = never. Decided at the submission; looked at again when the task
    /// would start, so that a shorter one counts for tasks that were submitted before, and a longer one does not.
    std::optional<duration> expires_after{};
    /// How many run at once over all workers, per concurrency_key where the handler has one; >= 0, 0: none starts. It is the rule
    /// of the limit "handler:<name>", as app::set_limit gives it; what is not set here of `max_running` and `rate` is the policy's.
    /// Counts for tasks that wait at once, also for those that were submitted when nothing was limited: they take their place
    /// behind the limit when a worker would start them.
    std::optional<int> max_running{};
    /// Starts over all workers, likewise; per rate_key where the handler has one.
    std::optional<rate_limit> rate{};
    /// What programs over HTTP that ask for its tasks are told: how many to take at once, 1..1000, and how long to wait before
    /// they ask again when there were none (`interval`). Errand's own workers need neither.
    std::optional<int> batch{};
    std::optional<duration> interval{};  ///< see `batch`
    /// None of its tasks is started; those that run go on. Tasks that are claimed meanwhile stand aside, shown as
    /// `delayed`, and go on when this is no longer so; no attempt is used.
    bool paused = false;
};

/// How settings are changed.
struct configure_options {
    /// The version that was seen; 0: nothing was ever set. The change is made only if that is still the one; nullopt: whatever is
    /// there is replaced.
    std::optional<std::int64_t> version{};
    /// Who changes it; empty: this process, as "host:pid".
    std::string by{};
};

/// What is set of a handler, and who has set it.
struct settings_info {
    std::string handler;        ///< its wire name
    handler_settings settings;  ///< of one that was cleared: nothing
    std::int64_t version = 0;   ///< grows by one with each change; 0: nothing was ever set
    std::string by;             ///< who made the last change
    time_point at{};            ///< when, by the store's clock
};

}  // namespace errand
