// The slots of one worker thread: so many attempts may run at once.
//
// Invariant: a claim asks only for slots that it has reserved; handlers that come back from waiting for other
// tasks get a free slot before any claim does.
#pragma once

#include "runtime/async_gate.hpp"

#include <cstddef>
#include <list>

namespace errand {

// On its loop's thread only.
class slot_pool {
public:
    slot_pool(boost::asio::any_io_executor executor, std::size_t total)
        : executor_{std::move(executor)}, total_{total} {}

    // How many a claim may reserve now.
    std::size_t free() const noexcept;
    std::size_t taken() const noexcept { return taken_; }
    std::size_t reserved() const noexcept { return reserved_; }

    void reserve(std::size_t count) noexcept { reserved_ += count; }
    // A claim is answered: of `reserved`, `used` are taken, the others free.
    void settle(std::size_t reserved, std::size_t used);
    // One slot less taken.
    void release();
    // Completes with a slot taken, also when it throws because the waiting coroutine was cancelled: what
    // still runs occupies a slot, even if that is one more than there are.
    awaitable<void> regain();

private:
    struct waiter {
        explicit waiter(const boost::asio::any_io_executor& executor) : gate{executor} {}
        async_gate gate;
        bool granted = false;
    };

    void grant();

    boost::asio::any_io_executor executor_;
    std::size_t total_;
    std::size_t taken_ = 0;
    std::size_t reserved_ = 0;
    std::list<waiter> waiters_;
};

}  // namespace errand
