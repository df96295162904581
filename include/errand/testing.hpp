/// Testing handlers: `#include <errand/testing.hpp>`. It names no test framework and works with any, or with none.
#pragma once

#include <errand/errand.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace errand::testing {

/// Something that a test expected did not happen; the text says what did instead.
class expectation_failed : public error {
public:
    using error::error;
};

/// How a harness begins. Every member has a default.
struct harness_options {
    /// What backoffs draw their jitter from: the same seed gives the same times in every run and on every machine.
    std::uint64_t seed = 1;
    /// Where the clock stands at first.
    time_point begin = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1};
    /// As for an app; the environment is not read. `store` must be in memory. `queues`: empty for all queues that have
    /// tasks, whether a handler names them or not. `concurrency` and the numbers of threads mean nothing here.
    config settings{.log_level = "off"};
    /// Whether the harness begins as a program that has started: with the schedules that the policies of all handlers declare
    /// (`.cron`). False: only those that the test declares tick.
    bool policy_schedules = true;
};

/// An app whose tasks are kept in memory and run in the thread that calls the harness, one after the other in an order that
/// is the same in every run, under a clock that stands still until it is moved.
///
/// Handlers run as in a worker: policies, retries, stages, dependencies, transactions and wrappers hold, and arguments and
/// results pass through JSON. Whatever errand measures in time follows the harness's clock; what a handler awaits of its own
/// (a timer, a socket) takes real time, and is waited for. Any number of harnesses may be there at once; each is by itself.
///
/// All members are for the thread that made the harness, and not for coroutines that it runs: there they throw usage_error.
/// Making one costs a few milliseconds, running a task some tenths of one. It has no thread and no file.
class harness {
public:
    /// @throws usage_error when the settings or a policy's `.cron` do not fit, naming what is wrong
    explicit harness(harness_options how = {});
    /// Cancels what still runs; tasks that have not ended are forgotten.
    ~harness();
    harness(const harness&) = delete;
    harness& operator=(const harness&) = delete;

    /// The app: beans, wrappers and proxies are its own. Beans need be there only for handlers that run. Its `start` and `run`
    /// throw usage_error: the harness is its worker.
    [[nodiscard]] errand::app& app() noexcept;

    /// Runs an awaitable to its end and returns its value, or throws what it threw, as it is. While it cannot go on by itself,
    /// tasks that are due run in their order; while none is due and it waits for one, the clock moves to what falls due next.
    /// @throws usage_error saying what it waits for, when nothing is left that could ever end the wait: the awaitable is then
    ///     cancelled; or when a task is to run whose handler misses beans, naming them
    template <class T>
    T run(awaitable<T> work) {
        if constexpr (std::is_void_v<T>) {
            run_to_end(std::move(work));
        } else {
            const auto value = std::make_shared<std::optional<T>>();
            run_to_end(keep_value(std::move(work), value));
            return std::move(**value);
        }
    }
    /// Runs what a task needs to end, and returns its result. @throws what `co_await h` throws, and as above
    template <class T>
    T run(const handle<T>& h) {
        return run(detail::await_result<T>(h.ref(), std::nullopt));
    }
    /// Calls a function that returns an awaitable, and runs that one; the function lives until then.
    template <std::invocable Function>
    auto run(Function&& work) {
        return run(work());
    }

    /// Runs all that is due, and what becomes due by that without moving the clock: higher priorities first, then in the order
    /// in which tasks became due, then in that of their submission, over all queues.
    /// @return how many attempts were started @throws usage_error as `run` for missing beans
    std::size_t drain();
    /// Runs the task that is next, to the end of its attempt or until it waits for another task.
    /// @return whether there was one @throws usage_error as `run` for missing beans
    bool run_one();
    /// Runs what is due, then moves the clock, stopping at each time at which something falls due, and runs it there.
    /// @param by from 0 to 100 years, else usage_error; in milliseconds
    /// @return how many attempts were started @throws usage_error as `run` for missing beans
    std::size_t advance(duration by);
    /// Where the clock stands. From any thread.
    [[nodiscard]] time_point now() const noexcept;

    /// The tasks of H that have not ended, in the order of their submission.
    template <class H>
    [[nodiscard]] std::vector<task_info> pending() {
        return tasks_of(typeid(H), false);
    }
    /// The tasks of H that have ended and are kept, in the order in which they ended.
    template <class H>
    [[nodiscard]] std::vector<task_info> finished() {
        return tasks_of(typeid(H), true);
    }

    /// Looks for a task of H, ended or not, that was submitted with these arguments: compared as JSON, so that the
    /// types need no operator ==. Without arguments any task of H will do.
    /// @param args values convertible to perform's parameters
    /// @return the first of them @throws expectation_failed listing what was submitted instead
    template <class H, class... A>
    task_info expect_submitted(A&&... args) {
        if constexpr (sizeof...(A) == 0) {
            return expect_task(typeid(H), std::nullopt);
        } else {
            if constexpr (detail::gives_item<H, A...>()) {
                return expect_task(typeid(H), detail::encode_item<H>(std::forward<A>(args)...).args);
            } else {
                return expect_task(typeid(H), detail::encode_call<H>(std::forward<A>(args)...).args);
            }
        }
    }

    /// The next attempts of tasks of H throw this where the handler would be called; wrappers see it as the handler's own.
    /// A second call adds to the first.
    /// @param exception of any type that can be copied, or a std::exception_ptr
    /// @param times how many attempts; 0 or less is a usage_error
    template <class H, class Exception>
    void fail_next(Exception exception, int times = 1) {
        if constexpr (std::same_as<Exception, std::exception_ptr>) {
            fail_attempts(typeid(H), std::move(exception), times);
        } else {
            fail_attempts(typeid(H), std::make_exception_ptr(std::move(exception)), times);
        }
    }

private:
    struct parts;

    template <class T>
    static awaitable<void> keep_value(awaitable<T> work, std::shared_ptr<std::optional<T>> value) {
        value->emplace(co_await std::move(work));
    }

    void run_to_end(awaitable<void> work);
    std::vector<task_info> tasks_of(std::type_index handler, bool ended);
    task_info expect_task(std::type_index handler, const std::optional<std::string>& args);
    void fail_attempts(std::type_index handler, std::exception_ptr exception, int times);

    std::unique_ptr<parts> parts_;
};

}  // namespace errand::testing
