// A transaction that the user opened on a PGconn.
#include "handlers.hpp"
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>
#include <libpq-fe.h>

using errand::test::eventually;
using errand::test::test_app;
using errand::test::test_database;
using namespace committed;

namespace {

struct libpq_client {
    explicit libpq_client(const std::string& url) : of{PQconnectdb(url.c_str())} {
        REQUIRE(PQstatus(of) == CONNECTION_OK);
    }
    ~libpq_client() { PQfinish(of); }
    libpq_client(const libpq_client&) = delete;
    libpq_client& operator=(const libpq_client&) = delete;
    void exec(const char* statement) const {
        auto* got = PQexec(of, statement);
        const auto status = PQresultStatus(got);
        PQclear(got);
        REQUIRE(status == PGRES_COMMAND_OK);
    }

    PGconn* of;
};

}  // namespace

TEST_CASE("A joined transaction of a PGconn submits when its owner commits", "[joined][only_postgres]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    auto& server = static_cast<errand::postgres::database&>(*db);
    const libpq_client mine{db.url()};
    mine.exec("BEGIN");
    mine.exec("INSERT INTO note(id, text) VALUES(1, 'mine')");
    auto joined = errand::postgres::adopt(server, mine.of);
    const auto held = t.run(t.app.handler<receipt>().in(joined).perform_async(1));
    t.run(joined.write());
    CHECK(t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0);
    mine.exec("COMMIT");
    t.run(joined.deliver());
    CHECK(t.info(held).args == boost::json::array{1});
    CHECK(t.run(db->query<int>("SELECT count(*) FROM note")).at(0) == 1);
    eventually([&] { return t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0; });
}

TEST_CASE("A joined transaction of a PGconn that is rolled back submits nothing", "[joined][only_postgres]") {
    test_app t;
    t.app.provide<place>();
    test_database db{t.app};
    auto& server = static_cast<errand::postgres::database&>(*db);
    const libpq_client mine{db.url()};
    mine.exec("BEGIN");
    auto joined = errand::postgres::adopt(server, mine.of);
    const auto held = t.run(t.app.handler<receipt>().in(joined).perform_async(1));
    t.run(joined.write());
    mine.exec("ROLLBACK");
    joined.rollback();
    CHECK_FALSE(t.run(t.app.find(held.id())));
    CHECK(t.run(db->query<int>("SELECT count(*) FROM errand_outbox")).at(0) == 0);
    CHECK_THROWS_AS(errand::postgres::adopt(server, nullptr), errand::usage_error);
}
