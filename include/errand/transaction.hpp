#pragma once

#include <errand/app.hpp>
#include <errand/awaitable.hpp>
#include <errand/database.hpp>
#include <errand/joined_transaction.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

namespace errand {

namespace detail {
class open_transaction;

// Runs the body under an ambient transaction; commits when it returns, drops what was held back when it throws.
awaitable<void> run_in_memory_transaction(app& owner, std::function<awaitable<void>()> body);
awaitable<void> run_joined_transaction(joined_transaction& joined, std::function<awaitable<void>()> body);
awaitable<void> run_database_transaction(std::shared_ptr<database_core> on, int reruns,
                                         std::function<awaitable<void>(database_transaction&)> body);

template <class Body, class... A>
using body_result = typename awaited_result<std::invoke_result_t<Body&, A...>>::type;

// `run` takes an erased body and calls it, once or again; the value is that of the last time.
template <class Result, class... A, class Body, class Run>
awaitable<Result> with_result(Body& body, Run run) {
    if constexpr (std::is_void_v<Result>) {
        co_await run([&body](A... with) -> awaitable<void> { return body(with...); });
    } else {
        std::optional<Result> value;
        co_await run([&body, &value](A... with) -> awaitable<void> {
            value.reset();
            value.emplace(co_await body(with...));
        });
        co_return std::move(*value);
    }
}
}  // namespace detail

/// Holds submissions back in memory: what is performed through `proxy.in(guard)` is submitted by `commit()` in one
/// batch, or dropped. For databases that errand has no adapter for.
///
/// It is **not atomic with the database**: when the process dies after the database has committed and before `commit()`
/// has completed, the tasks are lost. With SQLite, PostgreSQL, MariaDB and MySQL use errand::transaction(db, …).
///
/// Not to be shared by threads without a lock; must outlive the calls made through it.
class transaction_guard {
public:
    /// Begins it: from now on the calling coroutine's submissions to this app are held back.
    explicit transaction_guard(app& owner);
    /// Drops what was neither committed nor rolled back.
    ~transaction_guard();
    transaction_guard(const transaction_guard&) = delete;
    transaction_guard& operator=(const transaction_guard&) = delete;

    /// Submits all that was held back, in one batch, in order, then declares its schedules. When one is refused, none is
    /// submitted and nothing declared.
    /// @throws duplicate_task, quota_exceeded, store_error (which says whether it may have happened); usage_error when it has
    ///         ended
    [[nodiscard]] awaitable<void> commit();
    /// Drops all that was held back. Performing through the guard afterwards is a usage_error.
    void rollback() noexcept;

    /// For errand itself.
    [[nodiscard]] const std::shared_ptr<detail::open_transaction>& held() const noexcept { return state_; }

private:
    std::shared_ptr<detail::open_transaction> state_;
};

/// Runs `body` so that every `perform_*` awaited under it, however deep and in parallel branches on the same executor,
/// is held back without being told: all leave in one batch when the body returns, none when it throws. What threads of
/// your own submit meanwhile, by block_on(), is not under it and leaves at once. Inside another
/// transaction it joins that one; when its body throws, only its own submissions are dropped.
/// @param body `awaitable<T>()`, kept alive until it has ended
/// @return what the body returns
/// @throws what the body throws; what a submission can throw, with nothing submitted
template <class Body>
    requires std::is_invocable_v<Body&>
[[nodiscard]] awaitable<detail::body_result<Body>> transaction(app& owner, Body body) {
    co_return co_await detail::with_result<detail::body_result<Body>>(body, [&owner](auto erased) {
        return detail::run_in_memory_transaction(owner, std::move(erased));
    });
}

/// How often the body of a transaction is run again when the database gave the transaction up because of another one.
struct retry_serialization {
    int times = 3;  ///< after the first try; 0..1000
};

/// Runs `body` in a transaction of the database, and so that every `perform_*`, `every` and `cron` awaited under it is held
/// back without being told: in whatever function, in parallel branches on the same executor, in nested transactions. When the body
/// returns, what was held back is written to the table errand_outbox in one statement, the transaction commits, and the
/// tasks leave at once. When it throws, everything is rolled back and nothing is submitted. Commit and submission happen
/// together or not at all, also when the process dies in between: then a worker's relay delivers.
///
/// Inside a transaction of the same database it is a savepoint: when its body throws, its own statements and submissions
/// are undone, and the outer transaction may go on. Inside any other transaction it stands for itself.
///
/// The connection is taken, and the transaction begun, with the first statement or, when only tasks were performed, with
/// the commit. Statements of parallel branches run one after the other; while one branch is in a nested transaction, those
/// of the others wait.
///
/// @param body `awaitable<T>(errand::database_transaction&)`, kept alive until it has ended
/// @return what the body returns
/// @throws what the body throws; duplicate_task, dependency_cycle, result_gone, quota_exceeded (what a submission can throw)
///         before the commit; serialization_failure, database_error: nothing has happened; store_error: when the connection was lost
///         during the commit it says that it may have happened. After the commit nothing is thrown: what keeps a task
///         from being accepted by then is an event and shown by `app.inspect().outboxes()`
template <class Body>
    requires std::is_invocable_v<Body&, database_transaction&>
[[nodiscard]] awaitable<detail::body_result<Body, database_transaction&>> transaction(
    database& db, retry_serialization again, Body body) {
    co_return co_await detail::with_result<detail::body_result<Body, database_transaction&>,
                                           database_transaction&>(body, [&](auto erased) {
        return detail::run_database_transaction(db.core(), again.times, std::move(erased));
    });
}

template <class Body>
    requires std::is_invocable_v<Body&, database_transaction&>
[[nodiscard]] awaitable<detail::body_result<Body, database_transaction&>> transaction(database& db,
                                                                                      Body body) {
    return transaction(db, retry_serialization{0}, std::move(body));
}

/// Runs `body` so that every `perform_*` awaited under it is held back until `joined.write()`; when it throws, what was
/// performed under it is dropped. It neither writes nor commits.
/// @param body `awaitable<T>()`, kept alive until it has ended
template <class Body>
    requires std::is_invocable_v<Body&>
[[nodiscard]] awaitable<detail::body_result<Body>> transaction(joined_transaction& joined, Body body) {
    co_return co_await detail::with_result<detail::body_result<Body>>(body, [&joined](auto erased) {
        return detail::run_joined_transaction(joined, std::move(erased));
    });
}

}  // namespace errand
