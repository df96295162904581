#pragma once

#include <errand/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

/// What an event tells. More kinds may come: give a `switch` over them a `default`.
enum class event_kind : std::uint8_t {
    worker_started,  ///< the worker of this program claims tasks; text: on which store and queues, with which handlers
    worker_stopping,  ///< it claims no more
    worker_stopped,   ///< all that it ran has ended or was given back
    store_trouble,    ///< text: what is wrong with the store, or that it is well again
    limit_differs,  ///< another program had declared a limit otherwise; text: which, what is declared now, and what was

    task_submitted,      ///< the store accepted a task
    task_duplicate,      ///< a submission ran nothing: its biz_id is held by the task named here
    submission_refused,  ///< the store took no task; text: why

    task_claimed,    ///< this worker has the task; it starts when a thread is free
    task_started,    ///< an attempt has started
    task_succeeded,  ///< an attempt has ended well
    task_retrying,   ///< an attempt has failed; text: how; after: when the next one is due
    task_snoozed,  ///< the handler asked to be run later; or, with a text, this program has no key for it; after: when
    task_given_back,  ///< the worker stops, or cannot run it now: it goes to another one and loses no attempt
    task_dead,        ///< its last attempt has failed, or nothing can come of another; text: how
    task_expired,     ///< it could not be started in time
    task_cancelled,   ///< it was cancelled while it ran here: its attempt is told to stop
    handler_unknown,  ///< this program has no handler of that name: it waits for a worker that has
    lease_lost,       ///< another worker took it over: its attempt here is told to stop, and no longer counts
    task_recovered,   ///< this worker took it from one that gave no sign of life until its lease had run out
    report_accepted,  ///< the store has what this worker said of the task
    report_stale,     ///< the store refused it: the task belongs to another attempt, or has ended
    overdue,          ///< a handler goes on although it was told to stop; after: since when
    ended_late,  ///< a handler returned after its timeout, which counts as a success; after: how long after

    loop_blocked,  ///< a handler kept a worker's thread busy; after: how long; text: where it is, if it is known
    commit_step,  ///< a transaction with tasks came to a step: "before commit", "committed", "delivered", "struck"
    delivery_refused,  ///< a task that was committed in a database was not taken by the store any more; text: why
    failure,           ///< something went wrong in errand itself; text: what
};

/// The name of a kind, as above.
[[nodiscard]] std::string_view to_string(event_kind kind) noexcept;

/// Something that happened in this program. What does not apply is empty.
struct event {
    event_kind kind{};                         ///< what happened
    std::string task{};                        ///< the task's id
    std::string handler{};                     ///< its handler's name on the wire
    std::string queue{};                       ///< its queue
    int attempt = 0;                           ///< which attempt, 1 for the first
    int max_attempts = 0;                      ///< when one has ended: how many there may be in all
    std::optional<time_point> submitted_at{};  ///< when it was submitted
    std::optional<time_point>
        due_at{};  ///< when it was to start for the first time: its submission and its delay
    std::optional<time_point> started_at{};  ///< when this attempt started, by the store's clock
    std::optional<time_point> ended_at{};    ///< when it ended, by the store's clock
    std::string text{};                      ///< what there is to say, see the kind
    duration after{0};                       ///< a length of time, see the kind
    /// Whose it is: the task's namespace, or the app's own where there is no task; of what goes wrong in serving one of several
    /// namespaces (`failure`, `store_trouble`) that one.
    std::string name_space{};
    std::optional<duration>
        waited{};  ///< when an attempt has started: how long its task had been due, of its first one
    std::string
        trace_id{};  ///< when an attempt has ended: in which trace its span is; empty where nobody takes spans
};

/// Hears events; see app::on_event.
using event_listener = std::function<void(const event&)>;

}  // namespace errand
