// An app on a private Redis, in a namespace of its own: one server a test program, one namespace a test.
#pragma once

#include "support/redis_server.hpp"

#include <errand/errand.hpp>

#include <functional>
#include <string>
#include <utility>

namespace errand::test {

// The server that tests of this program share; those that break servers start their own.
redis_server& shared_redis();

// Settings for a fresh namespace on it.
config fresh_settings();

// Waits until the condition holds by running the store's calls; REQUIREs that it does within the deadline.
void eventually(const std::function<bool()>& holds);

// An app whose worker runs from the first `start` to the end of the scope.
struct test_app {
    explicit test_app(config settings = fresh_settings()) : app{std::move(settings)} {}

    void start() { app.block_on(app.start()); }
    void stop() { app.block_on(app.stop()); }
    template <class T>
    T run(awaitable<T> work) {
        return app.block_on(std::move(work));
    }
    template <class T>
    T wait(const handle<T>& h) {
        return app.block_on(h.result(std::chrono::seconds{20}));
    }
    template <class T>
    task_info info(const handle<T>& h) {
        return app.block_on(h.info());
    }

    errand::app app;
};

}  // namespace errand::test
