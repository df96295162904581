// The worker of an app: starts and stops its parts, in the order that the two functions' lists give.
// One caller at a time but for hurry().
#pragma once

#include <errand/awaitable.hpp>

#include <memory>
#include <mutex>

namespace errand {

namespace detail {
class app_core;
}

struct worker_shared;

class worker {
public:
    explicit worker(detail::app_core& app);
    ~worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    // Throws usage_error when a handler cannot be built, store_error when the store cannot be reached;
    // nothing is started then. From any executor.
    awaitable<void> start();
    // Claims no more, lets running tasks go on for `shutdown_grace`, gives the rest back; completes when all
    // have ended. From any executor but a handler's.
    awaitable<void> stop();
    // From any thread, while stop() is under way: running tasks are told to stop now.
    void hurry();

private:
    struct parts;

    awaitable<void> reach_store(worker_shared& shared);
    void take_apart();

    detail::app_core& app_;
    std::mutex guard_;  // of parts_ against hurry(), which comes from other threads
    std::unique_ptr<parts> parts_;
};

}  // namespace errand
