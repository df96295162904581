#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/engine.hpp>
#include <errand/detail/wire.hpp>
#include <errand/error.hpp>
#include <errand/task_info.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace errand {

namespace detail {

template <class T>
struct awaited;  // names the awaitable that a handle is

template <class T>
awaitable<T> await_result(task_ref ref, std::optional<duration> within) {
    std::string text = co_await wait_for_result(std::move(ref), within);
    if constexpr (!std::is_void_v<T>) co_return decode_result<T>(text);
}

}  // namespace detail
}  // namespace errand

/// What makes `co_await h` work inside a coroutine of Asio: a handle is one of its awaitables, and a copyable one.
template <class T>
class boost::asio::awaitable<errand::detail::awaited<T>, boost::asio::any_io_executor> {
public:
    using value_type = T;
    using executor_type = boost::asio::any_io_executor;

    bool await_ready() const noexcept { return false; }
    template <class Caller>
    auto await_suspend(Caller caller) {
        waiting_.emplace(errand::detail::await_result<T>(ref_, std::nullopt));
        return waiting_->await_suspend(caller);
    }
    T await_resume() { return waiting_->await_resume(); }

    // A copy waits by itself.
    awaitable(const awaitable& other) : ref_{other.ref_} {}
    awaitable& operator=(const awaitable& other) {
        ref_ = other.ref_;
        return *this;
    }
    ~awaitable() = default;

protected:
    explicit awaitable(errand::detail::task_ref ref) : ref_{std::move(ref)} {}
    errand::detail::task_ref ref_;

private:
    template <class, class>
    friend class boost::asio::awaitable;
    std::optional<boost::asio::awaitable<T>> waiting_;
};

namespace errand {

/// A task that was submitted: a small value, copied freely, valid as long as its app. Any thread may use it.
///
/// `co_await h` waits for the result without polling and gives it, as often as it is asked. It throws
/// - task_failed when the task ended `dead`, `cancelled` or `expired`,
/// - result_gone when the result is no longer kept or the task was started anew,
/// - store_error when the store lost the task or cannot be reached,
/// - bad_data when the result does not fit T,
/// - usage_error inside the transaction that holds the task back: the result could never come.
///
/// A cancelled wait leaves the task as it is. Inside a handler, the slot of the waiting task and its places in limits are free
/// for others; it goes on when it has them again.
template <class T>
class handle : public boost::asio::awaitable<detail::awaited<T>, boost::asio::any_io_executor> {
    using base = boost::asio::awaitable<detail::awaited<T>, boost::asio::any_io_executor>;

public:
    /// Made by errand.
    explicit handle(detail::task_ref ref) : base{std::move(ref)} {}

    /// The task's id as text: enough to find it again with `app.find`. No round trip.
    [[nodiscard]] std::string id() const { return detail::id_text(this->ref_); }

    /// True when the submission ran nothing because another task holds its biz_id, or because an earlier run of the stage
    /// that it was made in had submitted it already: this handle is to that one. False while a transaction holds the
    /// submission back. No round trip.
    [[nodiscard]] bool duplicate() const noexcept { return detail::is_duplicate(this->ref_); }

    /// Waits for the result at most so long; zero or less: only looks whether it is there.
    /// @throws timed_out when it did not come; else as `co_await h`
    [[nodiscard]] awaitable<T> result(duration within) const {
        return detail::await_result<T>(this->ref_, within);
    }

    /// What the store knows of the task now. One round trip.
    /// @throws result_gone when it is no longer kept; store_error; usage_error while a transaction holds it back
    [[nodiscard]] awaitable<task_info> info() const { return detail::fetch_info(this->ref_); }

    /// Ends the task unless it has ended; a running one sees it as cancellation. One round trip.
    /// @return true when the task is `cancelled` afterwards, whoever did it
    /// @throws store_error; result_gone when it is no longer kept
    [[nodiscard]] awaitable<bool> cancel() const { return detail::cancel_task(this->ref_); }

    /// Starts a task again that ended `dead`, `cancelled` or `expired`: ready at once, its attempts from zero, stages that
    /// were finished stay so. What was cancelled because of it waits for it again when this returns, so that its handle
    /// can be awaited. Three round trips, and where others depend on it about two for 50 of these.
    /// @return false when it has not ended so; a group is revived with its members only
    /// @throws store_error; result_gone when it is no longer kept
    [[nodiscard]] awaitable<bool> revive() const { return detail::revive_task(this->ref_); }

    /// Gives a task that does not run another due time, as one step; of one that waits for a retry, that of the retry.
    /// Two round trips.
    /// @param when rounded up to the millisecond; in the past: at once
    /// @return false when it runs or has ended
    /// @throws store_error; result_gone when it is no longer kept
    template <class Duration>
    [[nodiscard]] awaitable<bool> reschedule(std::chrono::sys_time<Duration> when) const {
        return detail::reschedule_task(this->ref_, std::chrono::ceil<duration>(when));
    }

    /// For errand itself.
    [[nodiscard]] const detail::task_ref& ref() const noexcept { return this->ref_; }
};

/// Some submissions of a perform_bulk were refused by the store; the others were accepted.
class bulk_error : public error {
public:
    /// Of one item, as the constructor takes it.
    using handle_or_none = std::optional<detail::task_ref>;

    /// What perform_bulk throws; both lists have a place for each item.
    bulk_error(const std::string& text, std::vector<handle_or_none> accepted,
               std::vector<std::exception_ptr> refused)
        : error{text}, accepted_{std::move(accepted)}, errors_{std::move(refused)} {}

    /// One per item, in order: a handle where it was accepted. T is what `perform` returns; `void` when left out serves
    /// for handlers whose result is not wanted.
    template <class T = void>
    [[nodiscard]] std::vector<std::optional<handle<T>>> handles() const {
        std::vector<std::optional<handle<T>>> all;
        all.reserve(accepted_.size());
        for (const auto& one : accepted_) {
            all.push_back(one ? std::optional<handle<T>>{handle<T>{*one}} : std::nullopt);
        }
        return all;
    }

    /// One per item, in order: why it was refused; null where it was accepted.
    [[nodiscard]] const std::vector<std::exception_ptr>& errors() const noexcept { return errors_; }

private:
    std::vector<handle_or_none> accepted_;
    std::vector<std::exception_ptr> errors_;
};

}  // namespace errand
