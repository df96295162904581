#include "worker/blocking_pool.hpp"

#include "runtime/thread_mark.hpp"

namespace errand {

blocking_pool::~blocking_pool() { join(); }

void blocking_pool::start() {
    for (std::size_t at = 0; at < count_; ++at) {
        threads_.emplace_back([this] {
            const thread_mark mark;
            pool_.attach();
        });
    }
}

void blocking_pool::join() {
    if (!threads_.empty()) pool_.join();
    for (auto& one : threads_) one.join();
    threads_.clear();
}

}  // namespace errand
