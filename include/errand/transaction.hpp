#pragma once

#include <errand/app.hpp>
#include <errand/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

namespace errand {

namespace detail {
class open_transaction;

// Runs the body under an ambient transaction; commits when it returns, drops what was held back when it throws.
awaitable<void> run_in_memory_transaction(app& owner, std::function<awaitable<void>()> body);

template <class Body>
using body_result = typename awaited_result<std::invoke_result_t<Body&>>::type;
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
    explicit transaction_guard(app& owner);
    /// Drops what was neither committed nor rolled back.
    ~transaction_guard();
    transaction_guard(const transaction_guard&) = delete;
    transaction_guard& operator=(const transaction_guard&) = delete;

    /// Submits all that was held back, in one batch, in order. When one is refused, none is submitted.
    /// @throws duplicate_task, store_error (which says whether it may have happened); usage_error when it has ended
    [[nodiscard]] awaitable<void> commit();
    /// Drops all that was held back. Performing through the guard afterwards is a usage_error.
    void rollback() noexcept;

    /// For errand itself.
    [[nodiscard]] const std::shared_ptr<detail::open_transaction>& held() const noexcept { return state_; }

private:
    std::shared_ptr<detail::open_transaction> state_;
};

/// Runs `body` so that every `perform_*` awaited under it, however deep and in parallel branches on the same executor,
/// is held back without being told: all leave in one batch when the body returns, none when it throws. Inside another
/// transaction it joins that one; when its body throws, only its own submissions are dropped.
/// @param body `awaitable<T>()`, kept alive until it has ended
/// @return what the body returns
/// @throws what the body throws; what a submission can throw, with nothing submitted
template <class Body>
    requires std::is_invocable_v<Body&>
[[nodiscard]] awaitable<detail::body_result<Body>> transaction(app& owner, Body body) {
    using result = detail::body_result<Body>;
    if constexpr (std::is_void_v<result>) {
        co_await detail::run_in_memory_transaction(owner, [&body]() -> awaitable<void> { return body(); });
    } else {
        std::optional<result> value;
        co_await detail::run_in_memory_transaction(owner, [&body, &value]() -> awaitable<void> {
            value.emplace(co_await body());
        });
        co_return std::move(*value);
    }
}

}  // namespace errand
