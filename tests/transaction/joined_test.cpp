// A transaction that the user's own client opened on its own connection.
#include "handlers.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <sqlite3.h>

using errand::test::eventually;
using errand::test::test_app;
using errand::test::test_database;
using namespace committed;

namespace {

struct sqlite_client {
    explicit sqlite_client(const std::string& url) {
        const auto path = url.substr(9, url.find('?') - 9);
        REQUIRE(sqlite3_open(path.c_str(), &of) == SQLITE_OK);
        sqlite3_busy_timeout(of, 5000);
    }
    ~sqlite_client() { sqlite3_close(of); }
    sqlite_client(const sqlite_client&) = delete;
    sqlite_client& operator=(const sqlite_client&) = delete;
    void exec(const char* sql) const {
        REQUIRE(sqlite3_exec(of, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    }

    sqlite3* of = nullptr;
};

using receipt_handle = errand::handle<std::int64_t>;

}  // namespace

TEST_CASE("A joined transaction submits when its owner commits", "[joined][on_sqlite]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    auto& file = static_cast<errand::sqlite::database&>(*db);
    const sqlite_client mine{db.url()};
    mine.exec("BEGIN IMMEDIATE; INSERT INTO note(id, text) VALUES(1, 'mine')");
    auto joined = errand::sqlite::adopt(file, mine.of);
    const auto by_guard = t.run(t.app.handler<receipt>().in(joined).perform_async(1));
    const auto ambient = t.run(errand::transaction(joined, [&]() -> errand::awaitable<receipt_handle> {
        co_return co_await t.app.handler<receipt>().perform_async(2);
    }));
    t.run(joined.write());
    CHECK_THROWS_AS(t.info(by_guard), errand::usage_error);
    CHECK_THROWS_AS(t.run(t.app.handler<receipt>().in(joined).perform_async(3)), errand::usage_error);
    mine.exec("COMMIT");
    t.run(joined.deliver());
    CHECK(t.info(by_guard).args == boost::json::array{1});
    CHECK(t.info(ambient).args == boost::json::array{2});
    CHECK(t.run(db->query<int>("SELECT count(*) FROM note")).at(0) == 1);
    eventually([&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0; });
    CHECK_THROWS_AS(t.run(joined.deliver()), errand::usage_error);
}

TEST_CASE("A joined transaction that its owner rolls back submits nothing", "[joined][on_sqlite]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    auto& file = static_cast<errand::sqlite::database&>(*db);
    const sqlite_client mine{db.url()};
    mine.exec("BEGIN IMMEDIATE");
    std::optional<receipt_handle> held;
    {
        auto joined = errand::sqlite::adopt(file, mine.of);
        held = t.run(t.app.handler<receipt>().in(joined).perform_async(1));
        t.run(joined.write());
        mine.exec("ROLLBACK");
        joined.rollback();
    }
    CHECK_THROWS_AS(t.info(*held), errand::usage_error);
    CHECK_FALSE(t.run(t.app.find(held->id())));
    CHECK(t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0);
    CHECK_THROWS_AS(errand::sqlite::adopt(file, nullptr), errand::usage_error);
}
