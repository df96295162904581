// What a statement returned: columns, rows, how many it changed.
#include "support/driver_fixture.hpp"

using namespace errand;
using namespace errand::test;

TEST_CASE("columns have the names that the statement gives them") {
    driver_fixture here;
    const auto got = here.run(here.open(), "SELECT 1 AS first, 'x' AS \"Second\", 2 AS first");
    CHECK(got.columns == std::vector<std::string>{"first", "Second", "first"});
    CHECK(got.rows.size() == 1);
    CHECK(got.affected == 0);
}

TEST_CASE("no rows is a result with columns, and what returns none has neither") {
    driver_fixture here;
    const auto session = here.open();
    const auto none =
        here.run(session, "SELECT 1 AS one FROM (SELECT 1 AS x) AS t WHERE x > $1", {std::int64_t{1}});
    CHECK(none.columns == std::vector<std::string>{"one"});
    CHECK(none.rows.empty());
    const auto nothing = here.run(session, "CREATE TABLE made(x int)");
    CHECK(nothing.columns.empty());
    CHECK(nothing.rows.empty());
    CHECK(nothing.affected == 0);
}

TEST_CASE("affected counts the rows that were inserted, changed or deleted") {
    driver_fixture here;
    const auto session = here.open();
    here.run(session, "CREATE TABLE made(x int)");
    CHECK(here.run(session, "INSERT INTO made VALUES (1), (2), (3)").affected == 3);
    CHECK(here.run(session, "UPDATE made SET x = x + 1 WHERE x > $1", {std::int64_t{1}}).affected == 2);
    CHECK(here.run(session, "SELECT * FROM made").affected == 0);
    CHECK(here.run(session, "DELETE FROM made WHERE x = $1", {std::int64_t{99}}).affected == 0);
    CHECK(here.run(session, "DELETE FROM made").affected == 3);
    const auto returned = here.run(session, "INSERT INTO made VALUES (7), (8) RETURNING x");
    CHECK(returned.rows.size() == 2);
}

TEST_CASE("a row that an update finds counts also when it had that value already, but for MySQL") {
    driver_fixture here;
    const auto session = here.open();
    here.run(session, "CREATE TABLE made(x int)");
    here.run(session, "INSERT INTO made VALUES (1)");
    const auto affected = here.run(session, "UPDATE made SET x = 1").affected;
    CHECK(affected == (database_kind() == "mysql" ? 0U : 1U));
}

TEST_CASE("a hundred thousand rows come whole and in order") {
    driver_fixture here;
    const auto session = here.open();
    const auto got =
        here.run(session,
                 here.on("SELECT n, 'row ' || n, n / 2.0::float8 FROM generate_series(1, 100000) AS n",
                         "SELECT seq, concat('row ', seq), seq / 2e0 FROM seq_1_to_100000"));
    REQUIRE(got.rows.size() == 100'000);
    bool right = true;
    for (std::int64_t at = 0; at < 100'000; ++at) {
        const auto& row = got.rows[static_cast<std::size_t>(at)];
        right = right && row[0] == sql::value{at + 1} &&
                row[1] == sql::value{"row " + std::to_string(at + 1)} &&
                row[2] == sql::value{static_cast<double>(at + 1) / 2};
    }
    CHECK(right);
}

TEST_CASE("what one session does in a transaction, another sees after the commit") {
    driver_fixture here;
    const auto one = here.open();
    const auto other = here.open();
    here.run(one, "CREATE TABLE made(x int)");
    here.run(one, "BEGIN");
    here.run(one, "INSERT INTO made VALUES ($1)", {std::int64_t{1}});
    here.run(one, "SAVEPOINT s");
    here.run(one, "INSERT INTO made VALUES ($1)", {std::int64_t{2}});
    here.run(one, "ROLLBACK TO SAVEPOINT s");
    CHECK(here.ask(other, "SELECT count(*) FROM made") == sql::value{std::int64_t{0}});
    here.run(one, "COMMIT");
    CHECK(here.ask(other, "SELECT count(*) FROM made") == sql::value{std::int64_t{1}});
    here.run(one, "BEGIN");
    here.run(one, "DELETE FROM made");
    here.run(one, "ROLLBACK");
    CHECK(here.ask(other, "SELECT count(*) FROM made") == sql::value{std::int64_t{1}});
}
