// What follows from the end of an attempt. One function decides; who calls it only carries out.
#pragma once

#include <errand/policy.hpp>
#include <errand/settings.hpp>
#include <errand/time.hpp>

#include "core/record.hpp"

#include <cstdint>
#include <exception>
#include <string>

namespace errand {

// The policy in force for one task: its handler's, with what is set at run time and what the submission said in place of it.
struct attempt_terms {
    duration timeout{0};  // 0: none
    int max_retry = 0;
    std::optional<duration> expires_after;
    duration retention{0};
    duration unique_for{0};                    // 0 for a task without a biz_id
    const errand::backoff* backoff = nullptr;  // of the policy or of what is set; null: the polynomial
    bool job = false;                          // core/job_rules.hpp
    std::optional<time_point> ends_at{};       // of a job: by its body
};

// `set`: what is set of the handler at run time, if anything is.
attempt_terms terms_of(const policy& rules, const task_body& body, const handler_settings* set = nullptr);
// Of a handler that this program does not know.
attempt_terms terms_of(const task_body& body, const handler_settings* set = nullptr);

// Why an attempt is over.
enum class attempt_end : std::uint8_t {
    returned,         // `perform` returned
    threw,            // it threw, for reasons of its own
    undecodable,      // its record or arguments do not decode, or its result cannot be kept: no retry helps
    timed_out,        // it threw after its timeout had cancelled it
    withdrawn,        // it threw after a cancellation from outside or the loss of its lease
    shut_down,        // it threw after the stopping worker had cancelled it, or it never started
    lease_ran_out,    // its worker gave no sign of life; this one took the task over
    unknown_handler,  // nobody here knows its handler; it never started
    late,             // its time to start was over; it never started
    paused,           // its handler is, at run time; it never started
    collected,        // it waits in a bundle to be run with others
    regrouped,        // it lacked gates of limits, and waits behind them
    locked,           // this program does not have the key of what it needs; it never started
};

enum class verdict : std::uint8_t { succeed, fail, snooze, postpone, bury, expire, give_back };

struct decision {
    verdict kind = verdict::succeed;
    duration delay{0};     // of fail and snooze
    task_notes notes;      // with what this attempt adds
    bool strange = false;  // it goes on, and not all workers know its handler; given back, it stands aside
};

// `now` stamps the error. discard, retry_in and snooze count however the attempt was cancelled: the handler
// chose them.
decision decide(attempt_end how, const std::exception_ptr& failure, const attempt_terms& terms,
                task_notes before, time_point now);

// True when a task that has never started may not start any more.
bool is_late(const attempt_terms& terms, const task_body& body, const task_notes& notes,
             time_point now) noexcept;

struct failure_text {
    std::string type;     // of the exception, as written in C++
    std::string message;  // what(), as UTF-8, cut after some 4 KB
};
failure_text describe(const std::exception_ptr& failure);

// "600s", "1500ms".
std::string in_words(duration length);

}  // namespace errand
