// Transactions whose store counts a change when replicas have it (`wait` in its URL).
#include "handlers.hpp"
#include "outbox/database_core.hpp"
#include "support/database_fixture.hpp"
#include "support/redis_server.hpp"
#include "support/replica.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <string>

using namespace std::chrono_literals;
using namespace committed;
using errand::test::eventually;
using errand::test::redis_server;
using errand::test::test_app;
using errand::test::test_database;

namespace {

struct replicated {
    replicated() { errand::test::replicate(master, replica, eventually); }
    redis_server master{{.tcp = true}}, replica;
};

}  // namespace

TEST_CASE("A row that a relay delivers stays until replicas have confirmed its task, which is accepted once",
          "[outbox][goes_away]") {
    replicated servers;
    redis_server lost;
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    auto of_writer = settings, of_relay = settings, of_worker = settings;
    of_writer.store = lost.url();
    of_writer.store_timeout = 10min;
    of_relay.store = servers.master.url() + "?wait=1";
    of_relay.store_timeout = 5s;
    of_worker.store = servers.master.url();
    std::atomic<bool> once{false};
    test_app writer{of_writer}, t{of_relay}, worker{of_worker};
    for (auto* one : {&writer, &t, &worker}) one->app.provide<place>();
    test_database written{writer.app};
    const auto db = errand::test::open_database(t.app, written.url());
    const auto left = [&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0); };
    const auto relay = [&]() -> std::size_t {
        try {
            return t.run(db->core()->deliver_left_behind());
        } catch (const errand::store_error&) {
            return 0;
        }
    };

    // The process that commits delivers nothing.
    writer.app.on_event([&](const errand::event& what) {
        if (what.kind == errand::event_kind::commit_step && what.text == "committed" && !once.exchange(true))
            lost.freeze();
    });
    const auto commit = [&](std::int64_t number) {
        const auto h = writer.run(
            errand::transaction(*written, [&](auto&) -> errand::awaitable<errand::handle<std::int64_t>> {
                const errand::options nothing_kept{.retention = 0ms};
                co_return co_await writer.app.handler<receipt>().with(nothing_kept).perform_async(number);
            }));
        t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
        return h;
    };
    // A relay opens its connection for the first row, and to open one waits for replicas, too.
    commit(6);
    CHECK(relay() == 1);
    const auto h = commit(7);
    REQUIRE(left() == 1);
    CHECK_FALSE(t.run(t.app.find(h.id())));

    servers.replica.freeze();
    for (int pass = 0; pass < 2; ++pass) {
        CHECK(relay() == 0);
        CHECK(left() == 1);
    }
    // Redis has it, and it may run before a replica has it.
    REQUIRE(worker.run(worker.app.find(h.id())));
    worker.start();
    eventually([&] { return !worker.run(worker.app.find(h.id())); });
    worker.stop();
    CHECK(left() == 1);

    servers.replica.thaw();
    std::size_t brought = 0;
    eventually([&] {
        brought += relay();
        return left() == 0;
    });
    CHECK(brought == 1);
    CHECK_FALSE(worker.run(worker.app.find(h.id())));
}
