#include "worker/gate_yielder.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"
#include "runtime/loop.hpp"
#include "worker/announce.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace errand {

namespace asio = boost::asio;

gate_yielder::gate_yielder(worker_shared& shared, loop& home)
    : shared_{shared}, home_{home}, pause_{home.executor()} {}

gate_yielder::gates gate_yielder::of(const task_id& id, claim_number claim) {
    return std::make_shared<yielded_gates>(home_.executor(), id, claim);
}

void gate_yielder::leave(const gates& one) {
    one->wants_back = false;
    put(one);
    one->changed.open();
}

// A cancelled wait is no reason to run without its gates: what it was cancelled for may be a branch of the handler alone.
awaitable<void> gate_yielder::come_back(gates one, const std::atomic<bool>& told_to_stop) {
    one->wants_back = true;
    put(one);
    while (one->wants_back && !may_go_on(*one, told_to_stop)) co_await one->changed.wait();
}

bool gate_yielder::may_go_on(const yielded_gates& one, const std::atomic<bool>& told_to_stop) const noexcept {
    using enum yielded_gates::standing;
    return one.now == held || one.now == lost || one.over || stopped_ || told_to_stop;
}

void gate_yielder::forget(const gates& one) {
    one->over = true;
    std::erase(in_line_, one);
    one->changed.open();
}

void gate_yielder::look(const task_id& id) {
    for (const auto& one : sent_) {
        if (one->id == id) one->asks_again = true;
    }
    for (const auto& one : in_line_) {
        if (one->id == id) put(one);
    }
}

// Of those whose call is under way a repeated call may be answered with what was true before.
void gate_yielder::look_at_all() {
    for (const auto& one : sent_) one->asks_again = true;
    for (const auto& one : in_line_) put(one);
}

void gate_yielder::stop() {
    stopped_ = true;
    pause_.cancel();
    for (const auto& one : queue_) one->changed.open();
    for (const auto& one : sent_) one->changed.open();
    for (const auto& one : in_line_) one->changed.open();
}

void gate_yielder::put(const gates& one) {
    if (!std::exchange(one->queued, true)) queue_.push_back(one);
    if (std::exchange(running_, true)) {
        if (!failed_) pause_.cancel();
    } else {
        asio::co_spawn(home_.executor(), run(), asio::detached);  // throws nothing
    }
}

// Who stands in line asks again now and then, not to wait for ever for a message that was lost.
awaitable<void> gate_yielder::run() {
    while (!stopped_ && !(queue_.empty() && in_line_.empty())) {
        if (!queue_.empty()) {
            co_await send();
            continue;
        }
        pause_.expires_after(claim_interval(random_unit()));
        const auto [cut] = co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (!cut) look_at_all();
    }
    running_ = false;
}

awaitable<void> gate_yielder::send() {
    std::vector<yield_wish> wishes;
    while (!queue_.empty() && wishes.size() < store::yields_per_call) {
        auto one = std::move(queue_.front());
        queue_.pop_front();
        one->queued = false;
        if (!one->needs_call()) continue;
        wishes.push_back({one->id, one->claim, one->wants_back});
        // Until the answer says otherwise.
        one->now = yielded_gates::standing::unknown;
        one->asks_again = false;
        std::erase(in_line_, one);
        sent_.push_back(std::move(one));
    }
    if (wishes.empty()) co_return;
    std::vector<yield_verdict> verdicts;
    std::exception_ptr failure;
    try {
        verdicts = co_await home_.tasks().yield_gates(wishes);
    } catch (...) {
        failure = std::current_exception();
    }
    const auto asked = std::exchange(sent_, {});
    for (std::size_t at = 0; at < asked.size(); ++at) {
        if (failure) {
            put(asked[at]);
        } else {
            answered(asked[at], wishes[at].back, verdicts.at(at));
        }
    }
    if (failure && !stopped_) co_await recover_from(failure);
}

void gate_yielder::answered(const gates& one, bool back, yield_verdict verdict) {
    using enum yielded_gates::standing;
    switch (verdict) {
    case yield_verdict::done: one->now = back ? held : given_back; break;
    case yield_verdict::in_line: one->now = in_line; break;
    case yield_verdict::lost: one->now = lost; break;
    }
    if (one->now == in_line && !one->over) in_line_.push_back(one);
    if (one->asks_again) put(one);
    one->changed.open();
}

awaitable<void> gate_yielder::recover_from(std::exception_ptr failure) {
    announce_failure(shared_.app, "giving limits to others while handlers wait", failure);
    pause_.expires_after(std::chrono::milliseconds{500 + static_cast<int>(random_unit() * 1000)});
    failed_ = true;
    co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
    failed_ = false;
}

}  // namespace errand
