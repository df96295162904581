#pragma once

#include <errand/awaitable.hpp>
#include <errand/database.hpp>
#include <errand/detail/once.hpp>
#include <errand/detail/stage_call.hpp>
#include <errand/detail/wire.hpp>
#include <errand/options.hpp>
#include <errand/schedule.hpp>
#include <errand/stage.hpp>
#include <errand/time.hpp>

#include <spdlog/logger.h>

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace errand {

/// An spdlog logger; `log()->info(…)` reads the same as `log().info(…)`.
class task_logger : public spdlog::logger {
public:
    using spdlog::logger::logger;
    /// The logger itself, for those used to spdlog's shared pointers.
    task_logger* operator->() noexcept { return this; }
};

/// One attempt of one task, seen from inside: `auto& self = co_await errand::this_task();`.
///
/// It lives as long as the attempt. Members may be called from any coroutine that runs under the task; those that
/// return an awaitable also from several at once.
class task_context {
public:
    task_context(const task_context&) = delete;
    task_context& operator=(const task_context&) = delete;
    virtual ~task_context() = default;

    /// The task's id as text.
    [[nodiscard]] virtual std::string id() const = 0;  // write: auto& self = co_await errand::this_task();
    /// The handler's name on the wire.
    [[nodiscard]] virtual const std::string& handler() const = 0;
    /// The queue it was taken from.
    [[nodiscard]] virtual const std::string& queue() const = 0;
    /// 1 for the first attempt; an attempt that was snoozed or given back counts once.
    [[nodiscard]] virtual int attempt() const = 0;
    /// What the submission carried.
    [[nodiscard]] virtual const std::map<std::string, std::string>& headers() const = 0;
    /// When the timeout cancels this attempt, by this machine's clock; time_point::max() without one.
    [[nodiscard]] virtual time_point deadline() const = 0;
    /// Grows with each claim of the task: a store of yours that keeps the largest one seen can refuse an older attempt.
    [[nodiscard]] virtual std::uint64_t fence() const = 0;
    /// True once the attempt was told to stop: cancelled, timed out, its lease lost or the worker stopping.
    [[nodiscard]] virtual bool cancelled() const = 0;
    /// Stamps handler, id and attempt on each line and keeps the last 100 lines with the task.
    [[nodiscard]] virtual task_logger& log() = 0;
    /// The schedule that this task is a run of; null when it is none. Valid as long as the attempt.
    [[nodiscard]] virtual schedule_run* schedule() = 0;
    /// The namespace that the task is of: one of those that the worker serves. What is submitted under the task is of it, too.
    [[nodiscard]] virtual const std::string& name_space() const = 0;

    /// Says how far the work is; seen through `info()`. Calls in quick succession share a round trip.
    /// @param done 0..1 @param text shown beside it
    /// @throws lease_lost when this attempt no longer counts
    [[nodiscard]] virtual awaitable<void> progress(double done, std::string text = {}) = 0;

    /// Of a run over collected items: this one has failed, whatever becomes of the others. When the run has succeeded, the item
    /// is collected again after its backoff; `dead` when it has used up its retries. Its result, if `perform` gives one, is
    /// not looked at. No round trip.
    /// @param index of the item in the list that `perform` was given
    /// @param why   shown with the item, as UTF-8
    /// @throws usage_error when there is no such item, also in a task that is no such run
    virtual void fail_item(std::size_t index, std::string why) = 0;

    /// Runs a part of the work once per task: its result is stored with the task before this completes, and a later
    /// attempt gets the stored result and does not run it again. So a killed worker costs the stage under way alone.
    ///
    /// Different stages may run at once in parallel branches. Inside, a task submitted without a biz_id is taken up
    /// again after a crash instead of being submitted a second time: its id follows from this task, the stage, its
    /// handler, its arguments and how many alike the stage has submitted before.
    /// @param name tells it from the task's other stages and must stay the same from one program to the next; 1..255
    ///             bytes. A stored stage that nobody calls any more is ignored
    /// @param fn   a callable returning `awaitable<T>`, T as for a result of `perform`; kept alive until it has ended
    /// @return what `fn` returned, read back from its JSON in the first attempt too
    /// @throws what `fn` throws; lease_lost when this attempt no longer counts; bad_data (`stage "decode": result.x: …`)
    ///         when the result cannot be stored, is larger than max_payload, or a stored one does not fit T;
    ///         usage_error for a bad name, a name that was used in this attempt, or under an open transaction;
    ///         store_error
    ///
    /// One round trip to store a result, and one more for the first stage of an attempt; none for a stage that is
    /// skipped. All that a task stores may take 8 * max_payload, at most 16 MiB.
    template <class F>
    [[nodiscard]] awaitable<detail::stage_result<F>> stage(std::string name, F fn) {
        return stage(std::move(name), stage_options{}, std::move(fn));
    }

    /// The same with retries and a timeout of its own, all inside this attempt. Cancellation, discard, retry_in, snooze,
    /// usage_error and lease_lost are not retried.
    /// @throws timed_out naming the stage when its last try took too long; else as above
    template <class F>
    [[nodiscard]] awaitable<detail::stage_result<F>> stage(std::string name, stage_options how, F fn) {
        using result = detail::stage_result<F>;
        if constexpr (!std::is_same_v<detail::stage_signature<F>, detail::no_stage>) {
            return staged<result>(std::move(name), std::move(how), std::move(fn));
        } else {
            return {};
        }
    }

    /// The result of a task that this one depends on; of a group: those of its members, in order. One round trip.
    /// @param id_or_ref its id as text, its handle, or `proxy.ref(biz_id)`
    /// @throws usage_error when it has not ended; task_failed when it ended otherwise than by `success`; result_gone when
    /// it is no longer kept; bad_data when the result does not fit T; store_error
    template <class T>
    [[nodiscard]] awaitable<T> result_of(std::string id_or_ref) {
        const auto text = co_await stored_result(std::move(id_or_ref));
        if constexpr (!std::is_void_v<T>) co_return detail::decode_result<T>(text);
    }
    template <class T>
    [[nodiscard]] awaitable<T> result_of(dependency id_or_ref) {
        return result_of<T>(id_or_ref.id());
    }

    /// Makes an effect happen once although the task may run twice: records this task in the table errand_inbox, in the
    /// transaction of the effect's own writes. An attempt that runs again after its transaction has committed, because its
    /// worker died before it reported, is told so:
    ///
    /// ```
    /// co_await errand::transaction(db, [&](auto& tx) -> errand::awaitable<void> {
    ///     if (!co_await self.once(tx)) co_return;   // an earlier attempt has done it
    ///     co_await tx.execute("UPDATE account SET cents = cents + $1", o.cents);
    /// });
    /// ```
    ///
    /// Two attempts at the same time (one of them without its lease) wait for each other: the database lets one of them in.
    /// The record is kept as long as the task, and as long as it can still run. One round trip.
    /// @return false when a committed transaction of this task has recorded it before
    /// @throws as database_transaction::execute()
    [[nodiscard]] awaitable<bool> once(database_transaction& tx) {
        return detail::record_effect(tx.level(), effect());
    }

protected:
    task_context() = default;

    // The JSON text of a stage's result, stored or new.
    virtual awaitable<std::string> run_stage(std::string name, stage_options how,
                                             const detail::stage_body& function) = 0;

private:
    template <class T, class F>
    awaitable<T> staged(std::string name, stage_options how, F fn) {
        const detail::stage_body function = [&fn, &name](bool& returned) {
            return detail::run_stage_function<T>(fn, name, returned);
        };
        const std::string text = co_await run_stage(name, std::move(how), function);
        if constexpr (!std::is_void_v<T>) co_return detail::decode_stage<T>(name, text);
    }

    virtual awaitable<std::string> stored_result(std::string id) = 0;
    virtual detail::effect_key effect() const = 0;
};

namespace detail {
// The task that this executor belongs to; null when there is none.
task_context* task_of(const boost::asio::any_io_executor& executor) noexcept;
[[noreturn]] void throw_no_task();
}  // namespace detail

}  // namespace errand

/// What `co_await errand::this_task()` awaits: it never suspends and allocates nothing.
template <>
class boost::asio::awaitable<errand::task_context&, boost::asio::any_io_executor> {
public:
    using value_type = errand::task_context&;
    using executor_type = boost::asio::any_io_executor;

    bool await_ready() const noexcept { return false; }
    template <class Caller>
    bool await_suspend(Caller caller) {
        task_ = errand::detail::task_of(
            caller.promise().await_transform(boost::asio::this_coro::executor).await_resume());
        return false;
    }
    errand::task_context& await_resume() const {
        if (task_ == nullptr) errand::detail::throw_no_task();
        return *task_;
    }

private:
    errand::task_context* task_ = nullptr;
};

namespace errand {

/// The attempt that the calling coroutine runs under: `auto& self = co_await errand::this_task();`. It follows the
/// executor: coroutines awaited or spawned on it have it.
/// @throws usage_error on an executor that no task runs on. No round trip, no suspension.
inline boost::asio::awaitable<task_context&, boost::asio::any_io_executor> this_task() { return {}; }

}  // namespace errand
