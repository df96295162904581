// Statements that come again are prepared once.
#include <errand/error.hpp>

#include "support/driver_fixture.hpp"

using namespace errand;
using namespace errand::test;

namespace {

struct counted_fixture : driver_fixture {
    session_ptr session = open();

    // How many statements the server has prepared for this session (MariaDB: for all).
    std::int64_t prepared() {
        if (database_kind() == "postgres")
            return std::get<std::int64_t>(ask(session, "SELECT count(*) FROM pg_prepared_statements"));
        const auto got = run(session, "SHOW STATUS LIKE 'Com_stmt_prepare'");
        return std::stoll(std::get<std::string>(got.rows.at(0).at(1)));
    }
};

}  // namespace

TEST_CASE("a statement is prepared when it comes first, and not when it comes again") {
    counted_fixture here;
    here.prepared();
    here.ask(here.session, "SELECT $1 + 1", {std::int64_t{1}});
    const auto before = here.prepared();
    for (std::int64_t at = 0; at < 50; ++at)
        CHECK(here.ask(here.session, "SELECT $1 + 1", {at}) == sql::value{at + 1});
    CHECK(here.prepared() == before);
}

TEST_CASE("the same statement with values of other types is right each time") {
    counted_fixture here;
    here.run(here.session, "CREATE TABLE made(x text)");
    for (int round = 0; round < 2; ++round) {
        here.run(here.session, "INSERT INTO made VALUES ($1)", {std::string{"text"}});
        here.run(here.session, "INSERT INTO made VALUES ($1)", {std::monostate{}});
        here.run(here.session, "INSERT INTO made VALUES ($1)", {std::int64_t{7}});
    }
    CHECK(here.ask(here.session, "SELECT count(*) FROM made WHERE x IS NULL") == sql::value{std::int64_t{2}});
    CHECK(here.ask(here.session, "SELECT count(*) FROM made WHERE x = $1", {std::string{"7"}}) ==
          sql::value{std::int64_t{2}});
}

TEST_CASE("of very many statements the latest are kept, and all are right") {
    counted_fixture here;
    for (int round = 0; round < 2; ++round)
        for (std::int64_t at = 0; at < 450; ++at)
            CHECK(here.ask(here.session, "SELECT " + std::to_string(at) + " + $1", {at}) ==
                  sql::value{2 * at});
    if (database_kind() == "postgres") CHECK(here.prepared() <= 201);
}

TEST_CASE("a statement is prepared anew when its table has changed") {
    counted_fixture here;
    here.run(here.session, "CREATE TABLE made(x int)");
    here.run(here.session, "INSERT INTO made VALUES (1)");
    CHECK(here.run(here.session, "SELECT * FROM made").columns.size() == 1);
    here.run(here.open(), "ALTER TABLE made ADD COLUMN y bigint");
    CHECK(here.run(here.session, "SELECT * FROM made").columns.size() == 2);
}

TEST_CASE("a table that changes within a transaction is a reason to run it again", "[only_postgres]") {
    counted_fixture here;
    here.run(here.session, "CREATE TABLE made(x int)");
    here.run(here.session, "SELECT * FROM made");
    here.run(here.open(), "ALTER TABLE made ADD COLUMN y bigint");
    here.run(here.session, "BEGIN");
    CHECK_THROWS_AS(here.run(here.session, "SELECT * FROM made"), serialization_failure);
    here.run(here.session, "ROLLBACK");
    here.run(here.session, "BEGIN");
    CHECK(here.run(here.session, "SELECT * FROM made").columns.size() == 2);
    here.run(here.session, "COMMIT");
}

TEST_CASE("a statement that the server forgot is prepared anew", "[only_postgres]") {
    counted_fixture here;
    CHECK(here.ask(here.session, "SELECT 1 + $1", {std::int64_t{1}}) == sql::value{std::int64_t{2}});
    here.run(here.session, "DEALLOCATE ALL");
    CHECK(here.ask(here.session, "SELECT 1 + $1", {std::int64_t{1}}) == sql::value{std::int64_t{2}});
}

TEST_CASE("statements with values that no server prepares ahead are run") {
    counted_fixture here;
    if (database_kind() == "postgres") {
        here.run(here.session, "DO $body$ BEGIN NULL; END $body$");
        here.run(here.session, "CREATE PROCEDURE p(x bigint) LANGUAGE sql AS 'SELECT 1'");
    } else {
        here.run(here.session, "CREATE PROCEDURE p(x bigint) BEGIN SELECT x AS first; SELECT x + 1; END");
    }
    const auto got = here.run(here.session, "CALL p($1)", {std::int64_t{5}});
    if (database_kind() == "mysql") CHECK(got.rows.at(0).at(0) == sql::value{std::int64_t{5}});
    CHECK(here.ask(here.session, "SELECT 1") == sql::value{std::int64_t{1}});
}
