// What a worker that serves several namespaces does in each of them, and what goes wrong in one alone.
#include <errand/error.hpp>
#include <errand/sqlite.hpp>

#include "support/backing.hpp"
#include "support/redis_server.hpp"
#include "support/shards.hpp"
#include "worker/tenancy.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace worker_test;
using Catch::Matchers::ContainsSubstring;
using errand::event_kind;
using errand::state;
using errand::test::eventually;

namespace {

errand::time_point now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::size_t successes(bench& of, const std::string& handler) {
    return of.run(of.app.inspect().list({.state = state::success, .handler = handler})).tasks.size();
}

errand::awaitable<std::string> commit_echo(errand::app& app, errand::sqlite::database& db) {
    std::string id;
    co_await errand::transaction(db, [&](errand::database_transaction&) -> errand::awaitable<void> {
        const auto held = co_await app.handler<echo>().perform_async(8);
        id = held.id();
    });
    co_return id;
}

std::vector<std::string> blocking_in(bench& of) {
    const auto workers = of.run(of.app.inspect().workers());
    return workers.empty() ? std::vector<std::string>{} : workers.front().blocking;
}

}  // namespace

TEST_CASE("a handler that keeps the thread is told of as of its namespace, and seen there alone",
          "[shared_by_apps]") {
    tenancy t;
    t.server.book.body = [&book = t.server.book](errand::task_context&) -> errand::awaitable<int> {
        while (!book.release) std::this_thread::sleep_for(1ms);
        co_return 1;
    };
    t.server.start();
    const auto h = submit(t.second);
    eventually([&] { return t.heard_of(event_kind::loop_blocked, h.id()).has_value(); });
    CHECK(t.heard_of(event_kind::loop_blocked, h.id())->name_space == t.name_of(t.second));
    eventually([&] { return blocking_in(t.second) == std::vector{h.id()}; });
    CHECK(blocking_in(t.first).empty());
    t.server.book.release = true;
    CHECK(t.second.wait(h) == 1);
}

TEST_CASE("what a handler performs when a task is dead is of that task's namespace", "[shared_by_apps]") {
    tenancy t;
    t.server.start();
    const auto one = t.first.run(t.first.app.handler<mourner>().perform_async(3));
    const auto other = t.second.run(t.second.app.handler<mourner_on_pool>().perform_async(4));
    CHECK(end_in(t.first, one.id()) == state::dead);
    CHECK(end_in(t.second, other.id()) == state::dead);
    for (auto* of : {&t.first, &t.second})
        eventually([&] { return successes(*of, "worker_test::echo") == 1; });
    CHECK(t.server.book.count("3") == 1);
    CHECK(t.server.book.count("4") == 1);
}

TEST_CASE("what is set of a handler in one namespace holds there alone", "[shared_by_apps]") {
    tenancy t;
    t.first.run(t.first.app.configure("worker_test::echo", {.paused = true}));
    t.server.start();
    const auto paused = t.first.run(t.first.app.handler<echo>().perform_async(1));
    CHECK(t.second.wait(t.second.run(t.second.app.handler<echo>().perform_async(2))) == 2);
    CHECK(t.server.book.count("1") == 0);
    t.first.run(t.first.app.configure("worker_test::echo", {.paused = false}));
    CHECK(t.first.wait(paused) == 1);
}

TEST_CASE("a quota of one namespace is kept to by tasks of that one alone", "[shared_by_apps]") {
    tenancy t;
    t.server.book.body = [&](errand::task_context& self) -> errand::awaitable<int> {
        try {
            co_await t.server.app.handler<echo>().perform_async(1);
            t.server.book.note("taken in " + self.name_space());
        } catch (const errand::quota_exceeded& e) {
            t.server.book.note("refused in " + self.name_space());
        }
        co_return 1;
    };
    const auto one = submit(t.first);
    const auto other = submit(t.second);
    t.first.run(t.first.app.set_quota({.max_queued = 0}, {.below_queued = true}));
    t.server.start();
    CHECK(t.first.wait(one) == 1);
    CHECK(t.second.wait(other) == 1);
    CHECK(t.server.book.count("refused in " + t.name_of(t.first)) == 1);
    CHECK(t.server.book.count("taken in " + t.name_of(t.second)) == 1);
}

TEST_CASE("figures are those of each namespace", "[shared_by_apps]") {
    tenancy t;
    t.server.start();
    for (int n = 0; n < 2; ++n) t.first.wait(t.first.run(t.first.app.handler<echo>().perform_async(n)));
    t.second.wait(t.second.run(t.second.app.handler<echo>().perform_async(5)));
    t.server.stop();
    CHECK(t.first.run(t.first.app.inspect().figures()).all.runs == 2);
    CHECK(t.second.run(t.second.app.inspect().figures()).all.runs == 1);
    CHECK(t.server.run(t.server.app.inspect().figures()).all.runs == 0);
}

TEST_CASE("a schedule that a task declares ticks in the task's namespace", "[shared_by_apps]") {
    tenancy t;
    t.server.book.body = [&](errand::task_context&) -> errand::awaitable<int> {
        co_await t.server.app.handler<echo>().every(1h, {.begin = now() - 1min, .max_runs = 1}, 6);
        co_return 1;
    };
    t.server.start();
    CHECK(t.second.wait(submit(t.second)) == 1);
    eventually([&] { return successes(t.second, "worker_test::echo") == 1; });
    CHECK(t.second.run(t.second.app.schedules()).schedules.size() == 1);
    CHECK(t.first.run(t.first.app.schedules()).schedules.empty());
    CHECK(t.server.run(t.server.app.schedules()).schedules.empty());
}

TEST_CASE(
    "what a tenant's program has committed and could not deliver is brought by the worker that serves it",
    "[shared_by_apps]") {
    tenancy t;
    const auto file = "sqlite://" + errand::test::fresh_database() + "?synchronous=normal";
    errand::sqlite::database db{t.server.app, file};
    t.server.run(db.install());
    errand::test::redis_server gone;
    auto settings = t.second.app.settings();
    settings.store = gone.url();
    settings.store_timeout = 100ms;
    gone.kill();
    std::string id;
    {
        bench writer{settings};
        errand::sqlite::database of_writer{writer.app, file};
        id = writer.run(commit_echo(writer.app, of_writer));
    }
    t.server.start();
    CHECK(end_in(t.second, id) == state::success);
    CHECK_FALSE(t.first.run(t.first.app.find(id)).has_value());
    t.server.stop();
}

TEST_CASE("a namespace whose store refuses what is asked holds up no other one", "[goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    settings.store = server.url();
    const auto own = settings.name_space;
    bench of_all{settings};
    of_all.run(of_all.app.inspect().queues());  // the namespace is there
    server.command({"ACL", "SETUSER", "tenants", "on", ">secret", "~*", "&*", "+@all"});
    settings.store = "redis+unix://tenants:secret@" + server.socket_path();
    tenancy t{1, 1000, settings};
    t.server.start();
    const auto allow = [&](const std::string& keys) {
        server.command({"ACL", "SETUSER", "tenants", "resetkeys", "~errand:{" + own + ".0}:*",
                        "~errand:{" + own + "-first.0}:*", "~" + keys});
    };
    allow("nothing");
    // By a program that has the right.
    auto of_second = t.second.app.settings();
    of_second.store = server.url();
    bench other{of_second};
    const auto late = other.run(other.app.handler<echo>().perform_async(7));
    eventually([&] {
        const auto names = t.heard(event_kind::failure);
        return std::ranges::find(names, t.name_of(t.second)) != names.end();
    });
    for (int n = 0; n < 20; ++n) {
        CHECK(t.first.wait(t.first.run(t.first.app.handler<echo>().perform_async(n))) == n);
    }
    CHECK(std::ranges::count(t.heard(event_kind::failure), t.name_of(t.first)) == 0);
    allow("*");
    CHECK(other.wait(late) == 7);
}

TEST_CASE("a namespace that is made anew by others with another number of shards keeps no slots from others",
          "[goes_away]") {
    errand::test::redis_server server;
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    settings.store = server.url();
    settings.concurrency = 2;
    tenancy t{1, 1000, settings};
    t.server.start();
    const auto stamp = [&](const std::string& shards) {
        server.command({"HSET", "errand:{" + t.name_of(t.second) + ".0}:control", "shards", shards});
        server.command({"CLIENT", "KILL", "TYPE", "normal"});
        server.command({"CLIENT", "KILL", "TYPE", "pubsub"});
    };
    CHECK(t.second.wait(t.second.run(t.second.app.handler<echo>().perform_async(1))) == 1);
    const auto late = t.second.run(t.second.app.handler<echo>().with({.delay = 2s}).perform_async(7));
    stamp("2");
    eventually([&] {
        const auto names = t.heard(event_kind::failure);
        return std::ranges::find(names, t.name_of(t.second)) != names.end();
    });
    for (int n = 0; n < 20; ++n) {
        CHECK(t.first.wait(t.first.run(t.first.app.handler<echo>().perform_async(n))) == n);
    }
    stamp("1");
    CHECK(t.second.wait(late) == 7);
}

TEST_CASE("a worker does not start when it cannot serve one of its namespaces, and says which",
          "[in_shards]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    auto divided = settings;
    divided.name_space += "-second";
    divided.shards = 2;
    bench other{divided};
    const auto h = other.run(other.app.handler<echo>().perform_async(7));
    tenancy t{1, 1, settings};
    CHECK_THROWS_WITH(t.server.start(), ContainsSubstring("namespace " + divided.name_space + ": ") &&
                                            ContainsSubstring("was made with 2 shard(s)"));
    CHECK(other.info(h).state == state::ready);
}
