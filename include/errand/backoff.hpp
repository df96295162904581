#pragma once

#include <errand/time.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace errand {

/// How long a failed task waits before its next attempt.
///
/// A value; copying it is cheap enough for start-up, calling it is safe from any thread when the callable is.
class backoff {
public:
    /// n^4 + 15 + random*30*(n+1) seconds, n = retries so far: the first within a minute, the 25th after three weeks.
    static backoff polynomial();

    /// min(first * 2^n, cap).
    /// @param first the first delay, > 0
    /// @param cap   the longest delay, >= first
    /// @throws usage_error when they are not so
    static backoff exponential(duration first, duration cap);

    /// The same delay each time.
    /// @param interval >= 0
    /// @throws usage_error when negative
    static backoff uniform(duration interval);

    /// Any callable `duration(int n, std::exception_ptr failure)`; n = retries so far. A negative delay counts as none;
    /// when it throws, the polynomial takes its place for that attempt.
    template <class Fn>
        requires(!std::same_as<std::remove_cvref_t<Fn>, backoff> &&
                 std::is_invocable_r_v<duration, Fn&, int, std::exception_ptr>)
    backoff(Fn fn) : delay_{std::move(fn)} {}

    /// The delay after the n-th retry failed with this exception.
    [[nodiscard]] duration operator()(int n, std::exception_ptr failure) const {
        return delay_(n, std::move(failure));
    }

    /// How it is written: "polynomial", "exponential:10s:1h", "uniform:30s"; empty for a callable of the program's own.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    template <class Fn>
    backoff(Fn fn, std::string text) : delay_{std::move(fn)}, text_{std::move(text)} {}

    std::function<duration(int, std::exception_ptr)> delay_;
    std::string text_{};
};

}  // namespace errand
