// How many run at once in a whole namespace: a quota's max_running.
#include "limits/handlers.hpp"
#include "runtime/task_gates.hpp"
#include "support/shards.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <tuple>
#include <vector>

using namespace limits_test;
using errand::test::eventually;

namespace limits_test {

// Neither has a limit of its own.
struct guest : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform() { return hold("anyone"); }
};
struct visitor : handler_with_tally {
    using handler_with_tally::handler_with_tally;
    errand::awaitable<void> perform() { return hold("anyone"); }
};

}  // namespace limits_test

ERRAND_HANDLER(limits_test::guest)
ERRAND_HANDLER(limits_test::visitor)

namespace {

errand::config in_one_shard() { return errand::test::settings_in_shards(1); }

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("no more than a quota's max_running run at once, of all handlers together") {
    bench t{in_one_shard()};
    t.run(t.app.set_quota({.max_running = 3}));
    t.start();
    auto handles = t.run(t.app.handler<guest>().perform_bulk(std::vector<std::tuple<>>(5)));
    for (int n = 0; n < 5; ++n) handles.push_back(t.run(t.app.handler<visitor>().perform_async()));
    eventually([&] { return t.in.now("anyone") == 3 && t.limit("namespace").waiting == 7; });
    CHECK(t.limit("namespace").running == 3);
    const auto waiting = t.info(handles.back());
    CHECK(waiting.state == state::ready);
    CHECK(waiting.blocked_by == words{"namespace: 3 of 3 running"});
    t.in.release = true;
    t.all_end(handles);
    CHECK(t.in.most_at_once("anyone") == 3);
    CHECK(t.in.done("anyone") == 10);
    eventually([&] { return t.limit("namespace").running == 0; });
}

TEST_CASE("whatever way a task was submitted it counts for what runs in its namespace") {
    bench t{in_one_shard()};
    const auto guests = t.app.handler<guest>();
    const auto hourly = t.run(guests.every(1h, {.mode = errand::fixed_rate}));
    t.run(t.app.set_quota({.max_running = 0}));
    t.run(guests.perform_async());
    t.run(guests.perform_bulk(std::vector<std::tuple<>>(2)));
    t.run(errand::group(std::vector{guests.plan(), guests.plan()}).submit());
    t.run([](bench& in) -> errand::awaitable<void> {
        co_await errand::transaction(in.app, [&]() -> errand::awaitable<void> {
            co_await in.app.handler<visitor>().perform_async();
        });
    }(t));
    t.run(hourly.run_now());
    // Its first tick is due.
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    t.run(t.app.handler<visitor>().every(1h, {.begin = now - 1min, .max_runs = 1}));
    t.start();
    eventually([&] { return t.limit("namespace").waiting == 8; });
    CHECK(t.in.begun().empty());
    t.in.release = true;
    t.run(t.app.clear_quota());
    eventually([&] { return t.in.done("anyone") == 8; });
}

TEST_CASE("another number that may run counts at once, for what waits already") {
    bench t{in_one_shard()};
    t.run(t.app.set_quota({.max_running = 1}));
    t.start();
    const auto handles = t.run(t.app.handler<guest>().perform_bulk(std::vector<std::tuple<>>(4)));
    eventually([&] { return t.in.now("anyone") == 1 && t.limit("namespace").waiting == 3; });
    t.run(t.app.set_quota({.max_running = 2, .max_payload = 1000}));
    eventually([&] { return t.in.now("anyone") == 2 && t.limit("namespace").waiting == 2; });
    // A quota that says nothing of it limits it no more.
    t.run(t.app.set_quota({.max_payload = 1000}));
    eventually([&] { return t.in.now("anyone") == 4; });
    t.in.release = true;
    t.all_end(handles);
}

TEST_CASE(
    "a task under limits of its own keeps them beside that of its namespace, also with other arguments") {
    errand::task_body body;
    body.handler = "visit";
    body.args = R"(["a",1])";
    errand::renew_gates(body);
    const auto own = body.gates;
    REQUIRE_FALSE(own.empty());
    errand::count_what_runs({.max_queued = 5}, body);
    CHECK(body.gates == own);
    errand::count_what_runs({.max_running = 5}, body);
    const auto both = body.gates;
    CHECK(both.size() > own.size());
    CHECK(both.starts_with(own));
    errand::count_what_runs({.max_running = 5}, body);
    CHECK(body.gates == both);
    body.args = R"(["b",1])";
    errand::renew_gates(body);
    CHECK(body.gates != both);
    CHECK(body.gates.size() == both.size());
    CHECK(body.gates.ends_with(both.substr(own.size())));
    errand::task_body group;
    group.rule = errand::on_failed::gather;
    errand::count_what_runs({.max_running = 5}, group);
    CHECK(group.gates.empty());
}

TEST_CASE("over several shards no more than a quota's max_running run at once, in all of them together",
          "[in_shards][concurrent]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 3;
    settings.concurrency = 40;
    bench t{settings};
    t.run(t.app.set_quota({.max_running = 4}));
    t.start();
    const auto handles = t.run(t.app.handler<guest>().perform_bulk(std::vector<std::tuple<>>(20)));
    eventually([&] { return t.in.now("anyone") == 4 && t.limit("namespace").waiting == 16; });
    CHECK(t.limit("namespace").running == 4);
    CHECK(t.limit("namespace").rule() == errand::limit_rule{.max_running = 4});
    t.run(t.app.set_quota({.max_running = 7, .max_payload = 1000}));
    eventually([&] { return t.in.now("anyone") == 7 && t.limit("namespace").waiting == 13; });
    // A quota that says nothing of it limits it no more.
    t.run(t.app.set_quota({.max_payload = 1000}));
    eventually([&] { return t.in.now("anyone") == 20; });
    t.in.release = true;
    t.all_end(handles);
}
