// A database used from several loops at once: those of handlers, of block_on's callers, and of none of the app's.
#include "handlers.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <future>

using namespace committed;
using errand::test::eventually;
using errand::test::fresh_settings;
using errand::test::sql;
using errand::test::test_app;
using errand::test::test_database;

namespace {

errand::awaitable<void> write(errand::app& app, errand::database& db, std::int64_t id) {
    co_await errand::transaction(db, [&](auto& tx) -> errand::awaitable<void> {
        co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), id);
        co_await app.handler<receipt>().perform_async(id);
    });
    co_await db.query<std::int64_t>("SELECT count(*) FROM note");
}

errand::awaitable<void> write_all(errand::app& app, errand::database& db, std::int64_t from,
                                  std::int64_t to) {
    for (auto id = from; id < to; ++id) co_await write(app, db, id);
}

std::int64_t finished(errand::app& app) {
    for (const auto& one : app.block_on(app.inspect().queues())) {
        if (one.name == "receipts") return one.finished;
    }
    return 0;
}

}  // namespace

TEST_CASE("Loops share the connections of a database, few or many", "[concurrent]") {
    auto settings = fresh_settings();
    settings.threads = 3;
    test_app t{settings};
    // 1: each transaction waits for another one's loop.
    test_database db{t.app, {.connections = GENERATE(std::size_t{1}, std::size_t{3}, std::size_t{12})}};
    place in{.db = &*db};
    t.app.provide_ref<place>(in);
    constexpr std::int64_t each = 40;
    std::vector<std::future<void>> callers;
    std::vector<errand::handle<bool>> tasks;
    t.start();
    for (std::int64_t id = 0; id < each; ++id)
        tasks.push_back(t.run(t.app.handler<write_once>().perform_async(1000 + id)));
    for (std::int64_t caller = 0; caller < 3; ++caller) {
        callers.push_back(std::async(std::launch::async, [&, caller] {
            t.app.block_on(write_all(t.app, *db, each * caller, each * (caller + 1)));
        }));
    }
    boost::asio::thread_pool foreign{2};
    auto last =
        boost::asio::co_spawn(foreign, write_all(t.app, *db, 3 * each, 4 * each), boost::asio::use_future);
    for (auto& one : callers) one.get();
    last.get();
    foreign.join();
    for (const auto& one : tasks) CHECK(t.wait(one));
    CHECK(t.run(db->query<std::int64_t>("SELECT count(*) FROM note")) == std::vector<std::int64_t>{5 * each});
    eventually([&] { return finished(t.app) == 4 * each; });
    t.stop();
}

TEST_CASE("A worker that stops takes its loops with it, and the connections that lie on them",
          "[concurrent]") {
    test_app t;
    // 1: the worker gets what the caller of block_on() has made.
    test_database db{t.app, {.connections = GENERATE(std::size_t{1}, std::size_t{10})}};
    place in{.db = &*db};
    t.app.provide_ref<place>(in);
    for (std::int64_t round = 0; round < 3; ++round) {
        t.start();
        std::vector<errand::handle<bool>> tasks;
        for (std::int64_t id = 0; id < 20; ++id)
            tasks.push_back(t.run(t.app.handler<write_once>().perform_async(100 * round + id)));
        for (const auto& one : tasks) CHECK(t.wait(one));
        t.stop();
        t.run(write(t.app, *db, 1000 + round));
    }
    CHECK(t.run(db->query<std::int64_t>("SELECT count(*) FROM note")) == std::vector<std::int64_t>{63});
}
