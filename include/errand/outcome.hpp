#pragma once

#include <errand/error.hpp>
#include <errand/time.hpp>

#include <exception>
#include <string>

namespace errand {

/// Thrown by a handler: the task has failed for good. It is `dead` at once, whatever retries are left.
class discard : public error {
public:
    /// @param why shown with the task
    explicit discard(const std::string& why) : error{why} {}
};

/// Thrown by a handler: the attempt has failed; the next one starts after this delay, not the backoff.
/// Uses an attempt like any failure: the task is `dead` when its retries are used up.
class retry_in : public error {
public:
    /// @param delay until the next attempt; negative counts as none
    /// @param why   shown with the attempt
    explicit retry_in(duration delay, const std::string& why = "asked to be retried")
        : error{why}, delay_{delay} {}

    /// How long until the next attempt.
    [[nodiscard]] duration delay() const noexcept { return delay_; }

private:
    duration delay_;
};

/// Thrown by a handler: nothing to do now, run the task again later. Uses no attempt.
/// No failure, therefore no errand::error: code that catches those does not swallow it.
class snooze : public std::exception {
public:
    /// @param delay until the task is due again; negative counts as none
    explicit snooze(duration delay) noexcept : delay_{delay} {}

    /// How long until the task is due again.
    [[nodiscard]] duration delay() const noexcept { return delay_; }
    /// "snoozed".
    [[nodiscard]] const char* what() const noexcept override { return "snoozed"; }

private:
    duration delay_;
};

}  // namespace errand
