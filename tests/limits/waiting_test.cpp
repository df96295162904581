// Tasks under limits that wait for other tasks under the same ones.
#include "limits/handlers.hpp"
#include "support/await.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace limits_test;
using errand::test::eventually;

namespace {

errand::config with_slots(std::size_t threads, std::size_t concurrency) {
    auto settings = errand::test::fresh_settings();
    settings.threads = threads;
    settings.concurrency = concurrency;
    return settings;
}

}  // namespace

TEST_CASE("a task waits for others of its own kind although one runs at a time") {
    bench t{with_slots(1, 1)};
    t.start();
    CHECK(t.wait(t.run(t.app.handler<nest>().perform_async(4))) == 4);
    CHECK(t.in.most_at_once("nest") == 1);
    CHECK(t.in.done("nest") == 9);
    eventually([&] { return t.limit("handler:nest").running == 0; });
}

TEST_CASE("many that wait for each other under one limit all end, and never too many run", "[concurrent]") {
    bench t{with_slots(2, 8)};
    t.start();
    std::vector<errand::handle<int>> handles;
    for (int i = 0; i < 10; ++i) handles.push_back(t.run(t.app.handler<nest>().perform_async(i % 4)));
    for (std::size_t i = 0; i < handles.size(); ++i) CHECK(t.wait(handles[i]) == static_cast<int>(i % 4));
    CHECK(t.in.most_at_once("nest") == 1);
    eventually([&] { return t.limit("handler:nest").running == 0; });
}

TEST_CASE("tasks of several workers wait for those with which they share a limit",
          "[shared_by_apps][concurrent]") {
    bench t{with_slots(2, 6)};
    bench other{t.app.settings()};
    t.in.release = other.in.release = true;
    t.start();
    other.start();
    t.all_end(t.run(t.app.handler<gather>().perform_bulk(std::vector<std::tuple<>>(6))));
    CHECK(t.in.most_at_once("crm") <= 2);
    CHECK(other.in.most_at_once("crm") <= 2);
    CHECK(t.in.done("crm") + other.in.done("crm") == 6 * 3 + 12);
    for (const auto* name : {"crm-api", "handler:nest"})
        eventually([&] { return t.limit(name).running == 0; });
}

TEST_CASE("who gives up waiting goes on when there is room for it") {
    bench t;
    t.start();
    const auto first = t.run(t.app.handler<impatient>().perform_async(true));
    eventually([&] { return t.in.now("impatient") == 1; });
    t.run(sleep(100ms));
    CHECK(t.in.said().size() == 1);
    t.in.release = true;
    t.wait(first);
    CHECK(t.in.said().back() == "goes on");
    CHECK(t.in.most_at_once("impatient") == 1);
    eventually([&] { return t.limit("handler:impatient").running == 0; });
}

TEST_CASE("a task that is cancelled while it waits for room ends, and the next one is not held up by it") {
    bench t;
    t.start();
    const auto first = t.run(t.app.handler<impatient>().perform_async(true));
    eventually([&] { return t.in.now("impatient") == 1; });
    t.run(sleep(20ms));
    CHECK(t.run(first.cancel()));
    const auto last = t.run(t.app.handler<impatient>().perform_async(false));
    t.in.release = true;
    t.wait(last);
    eventually([&] { return t.limit("handler:impatient").running == 0; });
    CHECK(t.info(first).state == state::cancelled);
    t.stop();
}

TEST_CASE("a worker stops while tasks wait for room, and another one does what they were at",
          "[shared_by_apps]") {
    auto settings = errand::test::fresh_settings();
    settings.shutdown_grace = 20ms;
    bench t{settings};
    t.start();
    const auto first = t.run(t.app.handler<impatient>().perform_async(true));
    eventually([&] { return t.in.now("impatient") == 1; });
    t.run(sleep(20ms));
    t.stop();
    CHECK(t.in.said().size() == 1);
    CHECK(t.limit("handler:impatient").running == 0);
    bench other{settings};
    other.in.release = true;
    other.start();
    t.wait(first);
    CHECK(other.in.most_at_once("impatient") == 1);
}
