#include "worker/slot_pool.hpp"

namespace errand {

std::size_t slot_pool::free() const noexcept {
    const auto used = taken_ + reserved_ + waiters_.size();
    return used < total_ ? total_ - used : 0;
}

void slot_pool::settle(std::size_t reserved, std::size_t used) {
    reserved_ -= reserved;
    taken_ += used;
    grant();
}

void slot_pool::release() {
    --taken_;
    grant();
}

void slot_pool::grant() {
    for (auto& one : waiters_) {
        if (taken_ + reserved_ >= total_) return;
        if (one.granted) continue;
        one.granted = true;
        ++taken_;
        one.gate.open();
    }
}

awaitable<void> slot_pool::regain() {
    if (taken_ + reserved_ < total_ && waiters_.empty()) {
        ++taken_;
        co_return;
    }
    const auto mine = waiters_.emplace(waiters_.end(), executor_);
    std::exception_ptr cancelled;
    try {
        co_await mine->gate.wait();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (!mine->granted) ++taken_;
    waiters_.erase(mine);
    if (cancelled) std::rethrow_exception(cancelled);
}

}  // namespace errand
