// The worker of an app: starts and stops its parts, in the order that the two functions' lists give.
// One caller at a time but for hurry().
#pragma once

#include <errand/awaitable.hpp>

#include <functional>
#include <memory>
#include <mutex>

namespace errand {

class loop;
struct worker_shared;

namespace detail {
class app_core;
}

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
    // While it runs: calls it for each namespace that it serves, with that one's core and under its ambient. From any executor.
    awaitable<void> in_each(std::function<awaitable<bool>(detail::app_core&)> what);
    // What was left out of this namespace: again, until nothing is. From any executor, while it runs.
    awaitable<void> make_good(detail::app_core& of, std::function<awaitable<bool>(detail::app_core&)> what);
    // From any thread, while stop() is under way: running tasks are told to stop now.
    void hurry();

private:
    struct parts;

    // `own`: null where the app's own namespace is not served.
    awaitable<void> reach_store(loop& there, worker_shared* own);
    awaitable<void> connect_all(loop& there, worker_shared* own);
    void take_apart();

    detail::app_core& app_;
    std::mutex guard_;  // of parts_ against hurry(), which comes from other threads
    std::unique_ptr<parts> parts_;
};

}  // namespace errand
