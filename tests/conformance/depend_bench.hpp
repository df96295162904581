// What the tests of tasks that wait for tasks share.
#pragma once

#include <errand/errand.hpp>

#include "support/await.hpp"
#include "support/shards.hpp"
#include "support/test_app.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace depend_test {

inline std::atomic<bool> broken{false};

// Writes down that it ran; fails while `broken`, when it is asked to.
struct step {
    errand::test::test_journal& journal;
    explicit step(errand::test::test_journal& j) : journal{j} {}
    errand::awaitable<std::string> perform(std::string name, bool fragile) {
        if (fragile && broken) throw std::runtime_error{name + " is broken"};
        journal.add(name);
        co_return name + "!";
    }
    static std::string biz_id(const std::string& name, bool) { return name; }
};

// Joins the results of those it depends on.
struct join {
    errand::awaitable<std::string> perform(std::vector<std::string> ids, std::string biz_id) {
        auto& self = co_await errand::this_task();
        std::string all;
        for (const auto& id : ids) all += co_await self.result_of<std::string>(id);
        if (!biz_id.empty()) all += co_await self.result_of<std::string>(steps->ref(biz_id));
        co_return all;
    }
    explicit join(errand::proxy<step> s) : steps{s} {}
    std::optional<errand::proxy<step>> steps;
};

}  // namespace depend_test

ERRAND_HANDLER(depend_test::step, .max_retry = 0)
ERRAND_HANDLER(depend_test::join, .max_retry = 0)

namespace depend_test {

using step_handle = errand::handle<std::string>;

// In a queue of its own, to show that dependencies do not care.
inline errand::options in(std::string queue, std::vector<errand::dependency> after = {}) {
    return {.queue = std::move(queue), .after = std::move(after)};
}

struct bench : errand::test::test_app {
    bench() { broken = false; }
    explicit bench(errand::config with) : errand::test::test_app{std::move(with)} { broken = false; }

    step_handle submit(const std::string& name, errand::options how = {}, bool fragile = false) {
        return run(app.handler<step>().with(std::move(how)).perform_async(name, fragile));
    }
    errand::dependency ref(const std::string& name) { return app.handler<step>().ref(name); }
    errand::state state_of(const step_handle& h) { return info(h).state; }
    void ends_as(const step_handle& h, errand::state wanted) {
        errand::test::eventually([&] { return state_of(h) == wanted; });
    }
    std::vector<std::string> lines() {
        std::lock_guard lock{journal.guard};
        return journal.lines;
    }
};

inline errand::config queues(std::vector<std::string> names) {
    auto settings = errand::test::fresh_settings();
    for (auto& name : names) settings.queues[name] = 1;
    return settings;
}

}  // namespace depend_test
