// What falls due in queues that programs ask about now and then, and do not wait at.
#include "service/exchange.hpp"
#include "worker/promoter.hpp"

#include <algorithm>
#include <utility>

namespace errand::web {
namespace {

// A longer call would keep others waiting.
constexpr std::size_t due_per_call = 500;
// Who asks does not wait for a backlog without end: the rest is made ready by the rounds that follow.
constexpr int most_calls_for_due = 20;

}  // namespace

void exchange::will_be_due(const std::string& queue, duration in) {
    if (!care_) return;
    care_->looks_after({queue}, {});
    care_->falls_due(in);
}

awaitable<bool> exchange::make_due_ready(std::vector<std::string> queues) {
    if (care_) care_->looks_after(queues, {});
    const auto expired = expired_outcome();
    bool any = false;
    for (int calls = 0; calls < most_calls_for_due; ++calls) {
        const auto answer = co_await store_->promote(queues, due_per_call, expired);
        any = any || answer.promoted > 0;
        // The store counts on this program for the next one.
        if (answer.next_due && care_) care_->falls_due(std::max(*answer.next_due - answer.now, duration{0}));
        if (!answer.next_due || *answer.next_due > answer.now) break;
    }
    co_return any;
}

}  // namespace errand::web
