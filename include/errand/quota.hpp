#pragma once

#include <errand/policy.hpp>
#include <errand/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace errand {

/// What a namespace may use of the store, whoever submits to it. Of a member that is not set nothing is limited. A bad value is a
/// usage_error naming the member.
///
/// What is over it is refused with errand::quota_exceeded where it is submitted; what was accepted before is run. Retries and
/// revived tasks pass. Programs hear of a change within moments, and of one whose message was lost within seconds.
struct quota {
    /// Tasks that have neither ended nor are running: ready (behind limits too), delayed, waiting, retrying. >= 0; 0: nothing is
    /// accepted. They are counted every 100 ms while somebody submits, and what is accepted in between is added: programs that
    /// submit at the same time may exceed it by what they send in that time.
    std::optional<std::int64_t> max_queued{};
    /// Tasks, not calls: a bucket of `burst` tasks, or of `count` when that is 0, into which `count` come back in `per`. What
    /// is refused for another reason, and what turns out to be a duplicate, has taken its share.
    std::optional<rate_limit> submit_rate{};
    /// Tasks that run at once over all workers of the namespace, >= 0; 0: none starts. The others stay `ready` and wait in turns,
    /// as behind any limit: app::limits() shows it as "namespace". Tasks that were queued before count as soon as a worker would
    /// start them. A handler that waits for another task gives its place to others meanwhile. Over several shards each has a share,
    /// which follows the need.
    std::optional<int> max_running{};
    /// Schedules that are active or paused, those of policies included. >= 0. Only a new one is refused, and never that of a policy.
    std::optional<std::int64_t> max_schedules{};
    /// Bytes of one task's arguments as JSON, > 0; beside the `max_payload` of each program's configuration.
    std::optional<std::int64_t> max_payload{};
    friend bool operator==(const quota&, const quota&) = default;
};

/// How a quota is set.
struct quota_options {
    /// Also one whose `max_queued` is lower than it was and below what is queued now, which is refused otherwise: nothing is
    /// accepted until workers have done enough. What is queued stays in any case.
    bool below_queued = false;
};

/// The quota of a namespace, and who has set it.
struct quota_info {
    quota rules{};             ///< when none is set: nothing
    std::int64_t version = 0;  ///< grows by one with each change; 0: none was ever set
    std::string by{};          ///< who made the last change: "host:pid"
    time_point at{};           ///< when, by the store's clock
    std::int64_t queued = 0;   ///< what counts for `max_queued` now
};

}  // namespace errand
