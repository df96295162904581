// What is counted on many threads and seldom read: a part for each of some threads, so that none waits for another but where
// two share a part, or while it is read. From any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace errand {

namespace detail {
inline std::size_t thread_number() noexcept {
    static std::atomic<std::size_t> given{0};
    thread_local const std::size_t own = given.fetch_add(1, std::memory_order_relaxed);
    return own;
}
}  // namespace detail

template <class Part>
class thread_cells {
public:
    // `what` takes the part of this thread.
    template <class What>
    void here(What what) {
        auto& own = parts_[detail::thread_number() % parts_.size()];
        const std::lock_guard lock{own.guard};
        what(own.part);
    }
    // One after the other.
    template <class What>
    void each(What what) const {
        for (const auto& one : parts_) {
            const std::lock_guard lock{one.guard};
            what(one.part);
        }
    }

private:
    // Of a cache line of its own.
    struct alignas(64) guarded {
        mutable std::mutex guard;
        Part part;
    };
    std::array<guarded, 16> parts_;
};

}  // namespace errand
