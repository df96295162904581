#include "worker/promoter.hpp"

#include <errand/policy.hpp>

#include "core/pace.hpp"
#include "core/random.hpp"

#include <algorithm>

namespace errand {

namespace {
// A longer call would keep other workers waiting.
constexpr std::size_t promoted_per_call = 500;
}  // namespace

std::string expired_outcome() {
    task_outcome outcome;
    outcome.ended_as = state::expired;
    outcome.retention = policy{}.retention;
    return encode(outcome);
}

promoter::promoter(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in)
    : role{shared.app, executor, "promoting"}, shared_{shared}, in_{in}, expired_{expired_outcome()} {}

awaitable<std::size_t> promoter::pass() {
    std::size_t done = 0;
    const auto queues = shared_.looks_after();
    for (;;) {
        const auto answer = co_await in_.promote(queues, promoted_per_call, expired_);
        done += answer.promoted + answer.expired;
        // More than one call does was due.
        if (answer.next_due && *answer.next_due <= answer.now) continue;
        next_due_.reset();
        if (answer.next_due) next_due_ = std::max(*answer.next_due - answer.now, duration{0});
        co_return done;
    }
}

duration promoter::pause() { return look_or_due(next_due_, shared_.alive.load(), random_unit()); }

}  // namespace errand
