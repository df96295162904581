// Commits whose outcome nobody knows, and stores that are away.
#include "handlers.hpp"
#include "outbox/database_core.hpp"
#include "runtime/app_core.hpp"
#include "support/database_fixture.hpp"
#include "support/database_server.hpp"
#include "support/tcp_gate.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <atomic>

using namespace std::chrono_literals;
using namespace committed;
using Catch::Matchers::ContainsSubstring;
using errand::test::eventually;
using errand::test::sql;
using errand::test::test_app;

namespace {

using receipt_handle = errand::handle<std::int64_t>;

int port_in(const std::string& url) {
    const auto from = url.find("127.0.0.1:") + 10;
    return std::stoi(url.substr(from, url.find('/', from) - from));
}

// A shop behind a gate, and a way to its database that goes around it.
struct gated_shop {
    gated_shop() {
        t.app.provide<place>();
        const auto direct = server->tcp_url(name);
        gate.emplace(port_in(direct));
        auto through = direct;
        const auto port = std::to_string(port_in(direct));
        through.replace(through.find(port), port.size(), std::to_string(gate->port()));
        through += errand::test::database_kind() == "postgres" ? "?sslmode=require" : "?tls=on&verify=none";
        around = errand::test::open_database(other.app, server->url(name));
        other.run(around->execute("CREATE TABLE note(id BIGINT PRIMARY KEY)"));
        db = errand::test::open_database(t.app, through);
        t.run(db->install());
        // What a connection's first commit has to tell the server is told.
        t.run(errand::transaction(*db, [&](auto&) -> errand::awaitable<void> {
            co_await t.app.handler<receipt>().perform_async(0);
        }));
        eventually([&] { return count("errand_outbox") == 0; });
    }

    std::int64_t count(const std::string& table) {
        return other.run(around->query<std::int64_t>("SELECT count(*) FROM " + table)).at(0);
    }

    // What is said of a commit at whose last moment something is done to the connection.
    template <class Fault>
    std::string fail(Fault happens) {
        auto armed = std::make_shared<bool>(true);
        errand::detail::core_of(t.app).events.subscribe([armed, happens](const errand::event& what) {
            const bool now = what.kind == errand::event_kind::commit_step && what.text == "before commit";
            if (now && std::exchange(*armed, false)) happens();
        });
        try {
            t.run(errand::transaction(*db, [&](auto& tx) -> errand::awaitable<void> {
                co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), 1);
                held = co_await t.app.handler<receipt>().perform_async(1);
            }));
        } catch (const errand::store_error& e) {
            return e.what();
        }
        return "committed";
    }

    std::unique_ptr<errand::test::database_server> server =
        errand::test::make_database_server(errand::test::database_kind(), {.tls = true});
    std::string name = server->make_database();
    std::optional<errand::test::tcp_gate> gate;
    test_app t, other;
    std::shared_ptr<errand::database> around, db;
    std::optional<receipt_handle> held;
};

}  // namespace

TEST_CASE("A COMMIT whose answer is lost is said to be unknown, and what was committed is delivered once",
          "[unknown][served]") {
    gated_shop s;
    const auto words = s.fail([&] { s.gate->cut_reply(); });
    CHECK(s.gate->reply_was_cut());
    CHECK_THAT(words, ContainsSubstring("may have been committed, or not"));
    CHECK(s.count("note") == 1);
    CHECK(s.count("errand_outbox") == 1);
    CHECK_FALSE(s.t.run(s.t.app.find(s.held->id())));
    s.other.run(s.around->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    CHECK(s.t.run(s.db->core()->deliver_left_behind()) == 1);
    CHECK(s.t.run(s.db->core()->deliver_left_behind()) == 0);
    CHECK(s.count("errand_outbox") == 0);
    s.t.start();
    CHECK(s.t.wait(*s.held) == 1);
    CHECK(s.t.info(*s.held).attempt == 1);
}

TEST_CASE("A COMMIT that does not arrive is said to be unknown, and nothing is left of the transaction",
          "[unknown][served]") {
    gated_shop s;
    const auto words = s.fail([&] { s.gate->cut(); });
    CHECK_THAT(words, ContainsSubstring("may have been committed, or not"));
    eventually([&] { return s.count("note") == 0 && s.count("errand_outbox") == 0; });
    CHECK_FALSE(s.t.run(s.t.app.find(s.held->id())));
    CHECK_THROWS_AS(s.t.info(*s.held), errand::error);
    CHECK(s.t.run(s.db->core()->deliver_left_behind()) == 0);
    // The next one goes by a new connection.
    s.t.run(errand::transaction(*s.db, [&](auto& tx) -> errand::awaitable<void> {
        co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), 1);
        s.held = co_await s.t.app.handler<receipt>().perform_async(2);
    }));
    s.t.start();
    CHECK(s.t.wait(*s.held) == 2);
}

TEST_CASE("A store that is away at the commit gets the tasks when it is back", "[unknown][through_outbox]") {
    errand::test::redis_server redis{{.append_only = true}};
    auto settings = errand::test::fresh_settings();
    settings.store = redis.url();
    settings.shards = 1;
    settings.store_timeout = 1s;
    test_app t{settings};
    t.app.provide<place>();
    errand::test::test_database db{t.app};
    std::atomic<int> complaints{0};
    errand::detail::core_of(t.app).events.subscribe([&](const errand::event& what) {
        if (what.kind == errand::event_kind::failure && what.text.find("outbox") != std::string::npos)
            ++complaints;
    });
    t.start();
    redis.kill();
    const auto held = t.run(errand::transaction(*db, [&](auto& tx) -> errand::awaitable<receipt_handle> {
        co_await tx.execute(sql("INSERT INTO note(id) VALUES(?)"), 1);
        co_return co_await t.app.handler<receipt>().perform_async(1);
    }));
    t.run(db->execute("UPDATE errand_outbox SET written_at = written_at - 60000"));
    CHECK_THROWS_AS(t.run(db->core()->deliver_left_behind()), errand::store_error);
    CHECK(t.run(db->query<std::int64_t>("SELECT count(*) FROM errand_outbox")).at(0) == 1);
    eventually([&] { return complaints > 0; });
    redis.restart();
    CHECK(t.app.block_on(held.result(60s)) == 1);
    eventually([&] {
        return t.run(db->query<std::int64_t>("SELECT count(*) FROM errand_outbox")).at(0) == 0;
    });
    CHECK(t.info(held).attempt == 1);
    CHECK(complaints == 1);
}
