#include "worker/adopter.hpp"

#include "core/random.hpp"
#include "runtime/task_event.hpp"
#include "worker/announce.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand {

namespace asio = boost::asio;

adopter::adopter(worker_shared& shared, loop& home, slot_share slots, std::function<void()> settled)
    : shared_{shared},
      home_{home},
      slots_{slots},
      settled_{std::move(settled)},
      gate_{home.executor()},
      pause_{home.executor()} {}

void adopter::start() {
    asio::co_spawn(home_.executor(), run(), asio::detached);  // throws nothing
}

void adopter::tell_wish() { slots_.wants(slot_user::adopter, claims_ && hungry_ && !resting_); }

void adopter::stop_claiming() {
    claims_ = false;
    tell_wish();
}

void adopter::told() {
    hungry_ = true;
    tell_wish();
    gate_.open();
}

void adopter::look() {
    if (hungry_) gate_.open();
}

void adopter::stop() {
    stopped_ = true;
    pause_.cancel();
    gate_.open();
}

awaitable<void> adopter::run() {
    while (!stopped_) {
        if (!wanted()) {
            co_await gate_.wait();
            continue;
        }
        std::exception_ptr failure;
        try {
            co_await pass();
        } catch (...) {
            failure = std::current_exception();
        }
        if (!failure || stopped_) continue;
        announce_failure(shared_.app, "taking tasks that stand aside", failure);
        resting_ = true;
        tell_wish();
        pause_.expires_after(std::chrono::milliseconds{500 + static_cast<int>(random_unit() * 1000)});
        co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
        resting_ = false;
        tell_wish();
    }
}

awaitable<void> adopter::pass() {
    const adopt_call call{.queues = shared_.queues.names(),
                          .handlers = shared_.takes(),
                          .limit = slots_.free(),
                          .lease = shared_.app.settings.lease};
    hungry_ = false;  // who is told meanwhile asks again
    in_flight_ = true;
    slots_.reserve(call.limit);
    tell_wish();
    adopt_answer answer;
    std::exception_ptr failure;
    try {
        answer = co_await home_.tasks().adopt(call);
    } catch (...) {
        failure = std::current_exception();
    }
    in_flight_ = false;
    slots_.settle(call.limit, answer.tasks.size());
    if (failure || answer.more) hungry_ = true;
    tell_wish();
    for (const auto& task : answer.tasks) {
        if (shared_.app.events.heard(event_kind::task_claimed))
            shared_.app.events.publish(task_event(event_kind::task_claimed, task));
    }
    executor_->take(std::move(answer.tasks));
    settled_();
    if (failure) std::rethrow_exception(failure);
}

aside_watch::aside_watch(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in,
                         std::function<void()> found)
    : role{shared.app, executor, "looking for tasks that stand aside"},
      shared_{shared},
      in_{in},
      found_{std::move(found)} {}

awaitable<std::size_t> aside_watch::pass() {
    const adopt_call call{.queues = shared_.looks_after(), .handlers = shared_.takes()};
    const auto answer = co_await in_.adopt(call);
    any_ = answer.more;
    if (any_) found_();
    co_return any_ ? 1 : 0;
}

// Workers of two programs at once are likely to leave more.
duration aside_watch::pause() { return std::chrono::seconds{any_ ? 1 : 5}; }

}  // namespace errand
