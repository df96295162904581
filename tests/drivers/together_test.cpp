// Several statements that leave together: BEGIN with the first of a transaction, the last of it with COMMIT.
#include <errand/error.hpp>

#include "support/await.hpp"
#include "support/driver_fixture.hpp"

using namespace errand;
using namespace errand::test;

namespace {

struct together_fixture : driver_fixture {
    together_fixture() {
        run(session, on("CREATE TABLE made(x bigint PRIMARY KEY, t text, b bytea)",
                        "CREATE TABLE made(x bigint PRIMARY KEY, t longtext, b longblob)"));
    }

    sql::statement insert(std::int64_t x, std::string text = "text") const {
        return {in_dialect("INSERT INTO made(x, t, b) VALUES ($1, $2, $3)"),
                {x, std::move(text), sql::bytes{std::byte{0}, std::byte{39}, std::byte{92}}}};
    }
    sql::result all(std::vector<sql::statement> statements) {
        return await(io, session->run_all(std::move(statements), at));
    }
    std::int64_t rows() { return std::get<std::int64_t>(ask(session, "SELECT count(*) FROM made")); }

    session_ptr session = open();
    std::size_t at = 99;
    const sql::statement begin{"BEGIN"}, commit{"COMMIT"};
};

}  // namespace

TEST_CASE("statements that leave together are run in order, and the last one's rows are returned") {
    together_fixture here;
    for (std::int64_t x = 0; x < 3; ++x) {
        const auto got = here.all({here.begin, here.insert(x), {"SELECT count(*) FROM made"}});
        CHECK(got.rows.at(0).at(0) == sql::value{2 * x + 1});
        here.all({here.insert(10 + x), here.commit});
    }
    CHECK(here.rows() == 6);
    CHECK(here.session->usable());
}

TEST_CASE("values come back as they went, also with what is quoted in a text") {
    together_fixture here;
    const std::string odd = "it's \\ a \"text\" with ? and ; and ü";
    here.all({here.begin, here.insert(1, odd), here.commit});
    here.all({here.begin, here.insert(2, std::string(200'000, '\'')), here.commit});
    CHECK(here.ask(here.session, "SELECT t FROM made WHERE x = 1") == sql::value{odd});
    CHECK(here.ask(here.session, "SELECT b FROM made WHERE x = 1") == here.insert(1).values[2]);
    CHECK(here.ask(here.session, "SELECT length(t) FROM made WHERE x = 2") ==
          sql::value{std::int64_t{200'000}});
}

TEST_CASE("after a statement that is refused none is run, and it is named") {
    together_fixture here;
    here.all({here.begin, here.insert(1), here.commit});
    CHECK_THROWS_AS(here.all({here.begin, here.insert(2), here.insert(1), here.commit}), database_error);
    CHECK(here.at == 2);
    CHECK(here.session->usable());
    here.run(here.session, "ROLLBACK");
    CHECK(here.rows() == 1);
    CHECK_THROWS_AS(here.all({here.begin, {"SELECT nothing"}, here.commit}), database_error);
    CHECK(here.at == 1);
    here.run(here.session, "ROLLBACK");
    here.all({here.begin, here.insert(3), here.commit});
    CHECK(here.rows() == 2);
    here.all({here.begin, here.insert(4)});
    CHECK_THROWS_AS(here.all({here.insert(1), here.commit}), database_error);
    CHECK(here.at == 0);
    CHECK(here.session->usable());
    here.run(here.session, "ROLLBACK");
    CHECK(here.rows() == 2);
}

TEST_CASE("what cannot be sent is refused before anything is", "[only_postgres]") {
    together_fixture here;
    CHECK_THROWS_AS(here.all({here.begin, here.insert(1, std::string{"a\0b", 3})}), database_error);
    CHECK(here.at == 0);
    CHECK(here.session->usable());
    here.run(here.session, "VACUUM made");  // refused in a transaction
}

TEST_CASE(
    "a transaction can be rolled back, and a statement outside of one stays, whatever autocommit was made",
    "[only_mysql]") {
    together_fixture here;
    const auto other = here.open();
    here.run(other, "CREATE PROCEDURE on_its_own() SET autocommit = 1");
    here.run(other, "CREATE PROCEDURE fails() BEGIN SET autocommit = 1; SIGNAL SQLSTATE '45000'; END");
    const auto count = [&] { return std::get<std::int64_t>(here.ask(other, "SELECT count(*) FROM made")); };
    std::int64_t x = 0;
    for (const char* meddles : {"SELECT 1", "SET autocommit = 1", "SET autocommit = 0", "CALL on_its_own()",
                                "CALL fails()", "CREATE TABLE IF NOT EXISTS more(x int)"}) {
        CAPTURE(meddles);
        const auto before = count();
        try {
            here.all({here.begin, {meddles}, here.commit});
        } catch (const database_error&) {
            here.run(here.session, "ROLLBACK");
        }
        here.all({here.begin, here.insert(++x)});
        CHECK(count() == before);
        here.run(here.session, "ROLLBACK");
        CHECK(count() == before);
        const auto alone = here.insert(++x);
        here.run(here.session, alone.text, alone.values);
        CHECK(count() == before + 1);
        here.all({here.begin, here.insert(++x), here.commit});
        CHECK(count() == before + 2);
    }
}

TEST_CASE("one text of a user is one statement", "[only_mysql]") {
    together_fixture here;
    for (const auto* two : {"SET @a = 1; DROP TABLE made", "DROP TABLE IF EXISTS none; DROP TABLE made"})
        CHECK_THROWS_AS(here.run(here.session, two), database_error);
    CHECK(here.rows() == 0);
    here.run(here.session, "SET @a = 1;");
    here.run(here.session,
             "CREATE TRIGGER t BEFORE INSERT ON made FOR EACH ROW BEGIN SET NEW.t = 'a'; SET @b = 1; END");
}
