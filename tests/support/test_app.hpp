// An app on the store that the tests run on, in a namespace of its own: one Redis a test program, one namespace a test; or
// a SQLite file or memory for each test.
#pragma once

#include <errand/errand.hpp>

#include "support/redis_server.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace errand::test {

// The server that tests of this program share; those that break servers start their own.
redis_server& shared_redis();

// Settings for a fresh namespace.
config fresh_settings();

// Waits until the condition holds by running the store's calls; REQUIREs that it does within the deadline.
void eventually(const std::function<bool()>& holds);

// Beans of the test handlers. All handlers of a test program are checked at every start, so every app has them all.
struct test_mailer {
    std::string address = "smtp://localhost";
    std::atomic<int> sent{0};
};
struct test_journal {
    void add(std::string line) {
        std::lock_guard lock{guard};
        lines.push_back(std::move(line));
    }
    std::mutex guard;
    std::vector<std::string> lines;
};

// An app whose worker runs from the first `start` to the end of the scope.
struct test_app {
    explicit test_app(config settings = fresh_settings())
        : app{std::move(settings)},
          mailer{app.provide<test_mailer>()},
          journal{app.provide<test_journal>()} {}

    void start() { app.block_on(app.start()); }
    void stop() { app.block_on(app.stop()); }
    template <class T>
    T run(awaitable<T> work) {
        return app.block_on(std::move(work));
    }
    template <class T>
    T wait(const handle<T>& h) {
        return app.block_on(h.result(std::chrono::seconds{60}));
    }
    template <class T>
    task_info info(const handle<T>& h) {
        return app.block_on(h.info());
    }

    errand::app app;
    test_mailer& mailer;
    test_journal& journal;
};

}  // namespace errand::test
