// In which coroutine an attempt runs. One is made for those that can start now: it runs them one after the other, as long as none of
// them waits for anything. The first that does keeps it for itself.
#include "runtime/ambient.hpp"
#include "worker/executor.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {
// A handler's operation that completes at once may leave the stack deeper for all that follow.
constexpr int most_turns = 100;

// Who holds an executor is counted only while that lies within any_io_executor, which counts those that are larger by itself.
using carrying = ambient_executor<asio::io_context::executor_type>;
static_assert(sizeof(carrying) <= sizeof(std::shared_ptr<void>) + sizeof(void*));
}  // namespace

struct executor::turns {
    // It is this one's turn. Null: nobody's.
    static void give(const std::shared_ptr<turns>& shared, std::shared_ptr<active_task> next) {
        // Before what others may have read is written: who counts one holder more sees what those did who are none any more.
        if (next) next->cancel = std::shared_ptr<asio::cancellation_signal>{shared, &shared->cancel};
        if (next) shared->around = next->around;
        shared->attempt = std::move(next);
    }

    ambient around;  // of the attempt that runs; the coroutine's executor carries it
    asio::cancellation_signal cancel;
    std::shared_ptr<active_task> attempt;
    int begun = 0;        // attempts
    bool waited = false;  // it is resumed from outside
};

// To other threads, while its code runs until it waits for the first time.
void executor::show_as_beginning(const active_task* one) {
    const std::lock_guard lock{beginning_guard_};
    beginning_ = one;
}

void executor::run_here(std::shared_ptr<active_task> first) {
    const auto shared = std::make_shared<turns>();
    turns::give(shared, std::move(first));
    std::shared_ptr<const ambient> carried{shared, &shared->around};
    auto done = [this, shared](std::exception_ptr failure) {
        // The slot may hold the coroutine's executor, and that holds the slot.
        shared->cancel.slot().clear();
        if (!failure) return;
        if (shared->begun > 0) std::rethrow_exception(failure);
        ended(*shared->attempt, std::move(failure), {});  // it was told to stop before
    };
    const auto* const outer = beginning_;  // what begins may have led here
    asio::co_spawn(with_ambient(home_.executor(), std::move(carried)), run_in_turn(shared),
                   asio::bind_cancellation_slot(shared->cancel.slot(), std::move(done)));
    shared->waited = true;
    show_as_beginning(outer);
}

awaitable<void> executor::run_in_turn(std::shared_ptr<turns> shared) {
    const auto holders = shared.use_count() - 1;  // beside the attempt that runs
    while (shared->attempt) {
        auto& attempt = *shared->attempt;
        ++shared->begun;
        std::string result;
        std::exception_ptr failure;
        if (!shared->waited) show_as_beginning(&attempt);
        try {
            result = co_await call(attempt);
        } catch (...) {
            failure = std::current_exception();
        }
        // What it awaited last may have gone on in another thread. Who was told to stop may still come back.
        if (!home_.here()) {
            co_await asio::this_coro::throw_if_cancelled(false);
            co_await asio::post(asio::use_awaitable);
        }
        if (!shared->waited) show_as_beginning(nullptr);
        ended(attempt, std::move(failure), std::move(result));
        if (shared->waited || attempt.told_to_stop || shared->begun == most_turns) co_return;
        // Whoever holds its executor on, as a coroutine that it has spawned, stays under this attempt.
        if (shared.use_count() > holders) co_return;
        // Counting once more acquires what those did who have let it go, before what they could see is taken away.
        const auto seen = shared;
        // As the next one expects to find it, whatever this one has set.
        co_await asio::this_coro::reset_cancellation_state();
        co_await asio::this_coro::throw_if_cancelled(true);
        shared->attempt = nullptr;  // its memory is used again
        turns::give(shared, next_here());
    }
}

void executor::run_apart(active_task& attempt) {
    const auto signal = std::make_shared<asio::cancellation_signal>();
    attempt.cancel = signal;
    std::shared_ptr<const ambient> carried{attempt.self, &attempt.around};
    auto done = [this, signal, keep = attempt.self](std::exception_ptr failure, std::string result) {
        // The slot holds the coroutine's executor, that holds the task, and the task the slot.
        signal->slot().clear();
        ended(*keep, std::move(failure), std::move(result));
    };
    // A strand: the pool's threads must not resume one attempt, or cancel it, at the same time.
    const asio::strand<asio::any_io_executor> on_pool{
        with_ambient(shared_.pool.get_executor(), std::move(carried))};
    asio::co_spawn(asio::any_io_executor{on_pool}, call(attempt),
                   asio::bind_cancellation_slot(signal->slot(),
                                                asio::bind_executor(home_.executor(), std::move(done))));
}

}  // namespace errand
