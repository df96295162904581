#pragma once

#include <errand/state.hpp>
#include <errand/time.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace errand {

/// One failed attempt.
struct task_error {
    int attempt = 0;                         ///< 1 for the first
    time_point at{};                         ///< when it failed
    std::string type;                        ///< the exception's type
    std::string message;                     ///< its text
    std::optional<time_point> started_at{};  ///< when that attempt began; unknown when its worker vanished
    std::string worker{};                    ///< who ran it; empty when that is unknown
};

/// A stage that has finished and whose result is stored.
struct task_stage {
    std::string name;           ///< as stage() was given it
    int attempt = 0;            ///< the attempt of the task that ran it
    time_point started_at{};    ///< when the try began that succeeded
    duration length{0};         ///< how long that try took
    boost::json::value result;  ///< null for a stage that returns void
};

/// What the store knows of a task at one moment: a copy, nothing in it changes.
struct task_info {
    std::string id;                              ///< as handle::id() gives it
    std::string handler;                         ///< the wire name
    std::string queue;                           ///< that it is in, or was
    errand::state state = errand::state::ready;  ///< at that moment
    std::optional<std::string> biz_id;           ///< nullopt for one without
    int attempt = 0;                             ///< the attempt that runs or ran last; 0 before the first
    int max_retry = 0;                           ///< retries after the first attempt
    std::optional<time_point> submitted_at;      ///< by the clock of the store, as all times here
    std::optional<time_point> due_at;            ///< of its next attempt, or its last
    std::optional<time_point> started_at;        ///< of the last attempt
    std::optional<time_point> finished_at;       ///< nullopt until it has ended
    std::string worker;                          ///< who runs it, or ran it last; may be empty
    double progress = 0;                         ///< 0..1, as the handler said
    std::string progress_text;                   ///< what the handler said beside it
    boost::json::array args;                     ///< of its handler
    boost::json::value result;                   ///< null until `success`, and for handlers that return void
    std::vector<task_error> errors;              ///< of its attempts that failed, oldest first, bounded
    std::vector<task_stage> stages;              ///< that have finished, in the order in which they did
    std::string
        stage;  ///< of a task flow (docs/flow.md): the stage that it has come to; empty: still the first one
    std::map<std::string, std::string> headers;  ///< of its submission
    std::vector<std::string> tags;               ///< likewise
    std::vector<std::string> after;              ///< ids of the tasks it depends on
    std::vector<std::string>
        waits_for;                    ///< while it waits: those of them that have not ended well, 100 at most
    std::size_t waits_for_count = 0;  ///< how many they are
    std::size_t failed_dependencies = 0;  ///< how many ended otherwise than by `success`, while that counts
    /// While it is ready: the limits that keep it from starting now, as "crm-api: 25 of 25 running". A look at this one task
    /// says so; a page of many may leave it empty.
    std::vector<std::string> blocked_by;
    std::vector<std::string> log;  ///< the lines it logged, newest last, bounded
    std::optional<time_point>
        kept_until{};  ///< when it is deleted, once it has ended; sooner when too many are kept
    /// The id of the key that its arguments are kept encrypted with (docs/encryption.md); empty: they are not encrypted.
    std::string encrypted_with{};
    /// This program does not have that key: arguments and results are shown as they are kept, texts as "(encrypted)".
    bool unreadable = false;
};

}  // namespace errand
