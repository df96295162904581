#include "runtime/result_watch.hpp"

#include <errand/error.hpp>

#include "runtime/aborted.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand {

namespace asio = boost::asio;

namespace {
constexpr std::size_t most_per_call = 500;
// A safety net only: what the store publishes is not lost while the connection stands.
constexpr std::chrono::seconds recheck_interval{30};

std::exception_ptr gone(const task_id& id) {
    return std::make_exception_ptr(result_gone{
        "the result of task " + to_text(id) +
        " is no longer kept: its place was taken by a later task with the same biz_id"});
}

std::exception_ptr lost(const task_id& id) {
    return std::make_exception_ptr(unknown_task{
        "the store knows nothing of task " + to_text(id) +
        ": it was accepted and then lost by the store, or its retention is over; submit it again if it still matters"});
}

}  // namespace

result_watch::result_watch(asio::any_io_executor executor, store& in)
    : executor_{executor}, in_{in}, pace_{executor} {}

awaitable<ended_task> result_watch::wait(task_id id, incarnation life) {
    if (closed_) throw store_error{"the app is closing: nothing more can be awaited"};
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                            void(std::exception_ptr, ended_task)>(
        [this, id, life](auto handler) {
            const auto [from, to] = waiters_.equal_range(id);
            const bool first =
                std::none_of(from, to, [life](const auto& other) { return other.second.life == life; });
            completion done{std::move(handler)};
            auto slot = asio::get_associated_cancellation_slot(done);
            auto at = waiters_.emplace(id, waiter{life, std::move(done)});
            if (slot.is_connected()) {
                slot.assign([this, at](asio::cancellation_type) {
                    auto cancelled = std::move(at->second.done);
                    waiters_.erase(at);
                    asio::post(executor_, asio::append(std::move(cancelled), aborted(), ended_task{}));
                });
            }
            if (first) ask(id, life);
        },
        asio::use_awaitable);
}

void result_watch::ask(const task_id& id, incarnation life) {
    unasked_.push_back({id, life});
    if (!sending_) {
        sending_ = true;
        asio::co_spawn(executor_, send(), asio::detached);  // throws nothing: failures go to the waiters
    }
    if (!rechecking_) {
        rechecking_ = true;
        asio::co_spawn(executor_, recheck(), asio::detached);
    }
}

awaitable<void> result_watch::send() {
    while (!unasked_.empty() && !closed_) {
        const std::size_t n = std::min(unasked_.size(), most_per_call);
        const std::vector<watched_task> tasks(unasked_.end() - static_cast<std::ptrdiff_t>(n),
                                              unasked_.end());
        unasked_.resize(unasked_.size() - n);
        try {
            const auto known = co_await in_.watch(tasks);
            for (const auto& end : known.ended) answer(end.id, 0, &end, nullptr);
            for (const auto& id : known.unknown) answer(id, 0, nullptr, lost(id));
            for (const auto& one : known.replaced) answer(one.id, one.life, nullptr, gone(one.id));
        } catch (...) {
            for (const auto& one : tasks) answer(one.id, one.life, nullptr, std::current_exception());
        }
    }
    sending_ = false;
}

awaitable<void> result_watch::recheck() {
    while (!waiters_.empty() && !closed_) {
        pace_.expires_after(recheck_interval);
        auto [ec] = co_await pace_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (!ec) reconnected();
    }
    rechecking_ = false;
}

void result_watch::reconnected() {
    for (const auto& [id, one] : waiters_) ask(id, one.life);
}

void result_watch::ended(const ended_task& task) {
    if (!task.outcome.empty()) return answer(task.id, 0, &task, nullptr);
    if (waiters_.contains(task.id)) ask(task.id, 0);
}

void result_watch::answer(const task_id& id, incarnation life, const ended_task* end,
                          std::exception_ptr failure) {
    // Waiters go first, completions after: what is resumed may wait for the same task again.
    std::vector<waiter> told;
    auto [at, to] = waiters_.equal_range(id);
    while (at != to) {
        if (life != 0 && at->second.life != life) {
            ++at;
            continue;
        }
        told.push_back(std::move(at->second));
        at = waiters_.erase(at);
    }
    for (auto& one : told) {
        auto why = failure;
        // Its own life ended before this one began, and was overwritten.
        if (!why && one.life != 0 && end->life != 0 && one.life != end->life) why = gone(id);
        asio::get_associated_cancellation_slot(one.done).clear();
        asio::dispatch(asio::append(std::move(one.done), why, why ? ended_task{} : *end));
    }
    if (waiters_.empty()) pace_.cancel();
}

void result_watch::close() {
    closed_ = true;
    pace_.cancel();
    const auto why = std::make_exception_ptr(store_error{
        "the app is closing: the task goes on, its result is not awaited"});
    while (!waiters_.empty()) answer(task_id{waiters_.begin()->first}, 0, nullptr, why);
}

}  // namespace errand
