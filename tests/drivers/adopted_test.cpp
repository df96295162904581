// Connections of the user's own client, joined by errand: used, and left as they were.
#include <errand/error.hpp>

#include "sql/mysql/driver.hpp"
#include "sql/postgres/driver.hpp"
#include "support/driver_fixture.hpp"

#include <boost/mysql/any_connection.hpp>
#include <boost/mysql/results.hpp>

#include <libpq-fe.h>

using namespace errand;
using namespace errand::test;
namespace db = boost::mysql;

namespace {

struct adopted_fixture : driver_fixture {
    session_ptr mine = open();

    adopted_fixture() { run(mine, "CREATE TABLE made(x bigint, y text)"); }

    std::int64_t count() { return std::get<std::int64_t>(ask(mine, "SELECT count(*) FROM made")); }
};

struct libpq_fixture : adopted_fixture {
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection{PQconnectdb(server.url(name).c_str()), PQfinish};

    std::string exec(const char* statement) {
        const std::unique_ptr<PGresult, void (*)(PGresult*)> got{PQexec(connection.get(), statement),
                                                                 PQclear};
        return PQntuples(got.get()) > 0 ? PQgetvalue(got.get(), 0, 0) : PQcmdStatus(got.get());
    }
};

struct mysql_fixture : adopted_fixture {
    db::any_connection connection{io};

    mysql_fixture() {
        db::connect_params to;
        to.server_address = db::unix_path{(server.folder() / "socket").string()};
        to.username = "root";
        to.database = name;
        connection.connect(to);
    }
    std::string exec(const char* statement) {
        db::results got;
        connection.execute(statement, got);
        return got.rows().empty() ? "" : std::string{got.rows()[0][got.rows()[0].size() - 1].as_string()};
    }
};

const std::string insert = "INSERT INTO made VALUES ($1, $2)";

}  // namespace

TEST_CASE("a PGconn's transaction takes statements and is committed by its owner", "[only_postgres]") {
    libpq_fixture here;
    const auto session = postgres::adopted(here.connection.get());
    for (const bool kept : {false, true}) {
        CHECK(here.exec("BEGIN") == "BEGIN");
        const auto got = await(here.io, session->run(insert, {std::int64_t{1}, std::string{"one"}}));
        CHECK(got.affected == 1);
        CHECK(here.count() == 0);
        CHECK(PQisnonblocking(here.connection.get()) == 0);
        here.exec(kept ? "COMMIT" : "ROLLBACK");
    }
    CHECK(here.count() == 1);
    CHECK(here.exec("SELECT count(*) FROM pg_prepared_statements") == "0");
    CHECK(session->usable());
}

TEST_CASE("a refusal on an adopted PGconn leaves it to its owner", "[only_postgres]") {
    libpq_fixture here;
    const auto session = postgres::adopted(here.connection.get());
    CHECK_THROWS_AS(await(here.io, session->run("SELECT * FROM nowhere", {})), database_error);
    CHECK(session->usable());
    CHECK(here.exec("SELECT 7") == "7");
    CHECK_THROWS_AS(postgres::adopted(nullptr), usage_error);
}

TEST_CASE("an adopted PGconn that was lost is not used again", "[only_postgres]") {
    libpq_fixture here;
    const auto session = postgres::adopted(here.connection.get());
    here.end(here.mine, PQbackendPID(here.connection.get()));
    CHECK_THROWS_AS(await(here.io, session->run("SELECT 1", {})), store_error);
    CHECK_FALSE(session->usable());
}

TEST_CASE("an any_connection's transaction takes statements and is committed by its owner", "[only_mysql]") {
    mysql_fixture here;
    const auto statement = in_dialect(insert);
    const auto session = mysql::adopted(here.connection);
    CHECK(here.count() == 0);
    const auto prepared = here.exec("SHOW STATUS LIKE 'Prepared_stmt_count'");
    for (const bool kept : {false, true}) {
        here.exec("BEGIN");
        const auto got = await(here.io, session->run(statement, {std::int64_t{1}, std::string{"one"}}));
        CHECK(got.affected == 1);
        CHECK(here.count() == 0);
        CHECK(here.connection.meta_mode() == db::metadata_mode::minimal);
        here.exec(kept ? "COMMIT" : "ROLLBACK");
    }
    CHECK(here.count() == 1);
    CHECK(here.exec("SHOW STATUS LIKE 'Prepared_stmt_count'") == prepared);
    CHECK(session->usable());
}

TEST_CASE("a refusal on an adopted any_connection leaves it to its owner", "[only_mysql]") {
    mysql_fixture here;
    const auto session = mysql::adopted(here.connection);
    const auto statement = in_dialect(insert);
    const auto prepared = here.exec("SHOW STATUS LIKE 'Prepared_stmt_count'");
    CHECK_THROWS_AS(await(here.io, session->run(statement, {std::string{"no number"}, std::monostate{}})),
                    database_error);
    CHECK(session->usable());
    CHECK(here.exec("SHOW STATUS LIKE 'Prepared_stmt_count'") == prepared);
}

TEST_CASE("an adopted any_connection that was lost is not used again", "[only_mysql]") {
    mysql_fixture here;
    const auto session = mysql::adopted(here.connection);
    here.end(here.mine, *here.connection.connection_id());
    CHECK_THROWS_AS(await(here.io, session->run("SELECT 1", {})), store_error);
    CHECK_FALSE(session->usable());
}
