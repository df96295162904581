// In what words statements and connections are refused, and that a session outlives a refusal.
#include <errand/error.hpp>

#include "support/driver_fixture.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a refused statement is named, with the database's code and words") {
    driver_fixture here;
    const auto session = here.open();
    try {
        here.run(session, "SELECT *\n   FROM nowhere");
        FAIL("accepted");
    } catch (const database_error& e) {
        CHECK(e.code() == here.on("42P01", "1146"));
        CHECK_THAT(e.what(), ContainsSubstring("nowhere") && ContainsSubstring("in: SELECT * FROM nowhere") &&
                                 ContainsSubstring(e.code()));
    }
    CHECK(session->usable());
    CHECK(here.ask(session, "SELECT 1") == sql::value{std::int64_t{1}});
}

TEST_CASE("of a long statement only the beginning is shown") {
    driver_fixture here;
    const auto text =
        here.refusal(here.open(), "SELECT nothing, '" + std::string(1000, 'x') + "ü' FROM nowhere");
    CHECK_THAT(text, ContainsSubstring("xxxx…") && !ContainsSubstring("ü'"));
}

TEST_CASE("a broken constraint is a database_error and no serialization_failure") {
    driver_fixture here;
    const auto session = here.open();
    here.run(session, "CREATE TABLE made(x int PRIMARY KEY)");
    here.run(session, "INSERT INTO made VALUES ($1)", {std::int64_t{1}});
    try {
        here.run(session, "INSERT INTO made VALUES ($1)", {std::int64_t{1}});
        FAIL("accepted");
    } catch (const serialization_failure&) {
        FAIL("nothing to run again");
    } catch (const database_error& e) {
        CHECK(e.code() == here.on("23505", "1062"));
    }
    CHECK(here.run(session, "INSERT INTO made VALUES ($1)", {std::int64_t{2}}).affected == 1);
}

TEST_CASE("a value that does not fit its column is refused, never cut") {
    driver_fixture here;
    const auto session = here.open();
    here.run(session, "CREATE TABLE made(x smallint, name varchar(3))");
    CHECK_THAT(here.refusal(session, "INSERT INTO made(x) VALUES ($1)", {std::int64_t{70'000}}),
               ContainsSubstring("out of range") || ContainsSubstring("Out of range"));
    CHECK_THAT(here.refusal(session, "INSERT INTO made(name) VALUES ($1)", {std::string{"long"}}),
               ContainsSubstring("too long"));
    CHECK_THAT(here.refusal(session, "INSERT INTO made(x) VALUES ($1)", {std::string{"seven"}}),
               ContainsSubstring("nteger") || ContainsSubstring("input syntax"));
    CHECK(here.ask(session, "SELECT count(*) FROM made") == sql::value{std::int64_t{0}});
}

TEST_CASE("a statement with parameters that are not given is refused, and the session lives on") {
    driver_fixture here;
    const auto session = here.open();
    CHECK_THROWS_AS(here.run(session, "SELECT $1"), database_error);
    CHECK(session->usable());
    CHECK(here.ask(session, "SELECT 1") == sql::value{std::int64_t{1}});
}

TEST_CASE("a statement that is two is refused") {
    driver_fixture here;
    const auto session = here.open();
    CHECK_THROWS_AS(here.run(session, "BEGIN; ROLLBACK"), database_error);
    CHECK_THROWS_AS(here.run(session, "SELECT 1; SELECT 2"), database_error);
    CHECK(here.ask(session, "SELECT 1") == sql::value{std::int64_t{1}});
}

TEST_CASE("a login that is refused names the server and never the password") {
    driver_fixture here;
    here.run(here.open(), here.on("CREATE USER guarded PASSWORD 'right and proper'",
                                  "CREATE USER guarded@localhost IDENTIFIED BY 'right and proper'"));
    const auto where = here.server.url(here.name);
    const auto with = [&](const std::string& password) {
        const auto user = where.find("//") + 2;
        return where.substr(0, user) + "guarded:" + password + where.substr(where.find('@'));
    };
    here.run(here.open(),
             here.on("GRANT ALL ON SCHEMA public TO guarded", "GRANT ALL ON *.* TO guarded@localhost"));
    CHECK(here.ask(here.open(with("right%20and%20proper")), "SELECT 1") == sql::value{std::int64_t{1}});
    try {
        here.open(with("wrong%20and%20secret"));
        FAIL("let in");
    } catch (const store_error& e) {
        CHECK_THAT(e.what(), ContainsSubstring("cannot connect to") && ContainsSubstring(here.name) &&
                                 !ContainsSubstring("secret") &&
                                 ContainsSubstring(here.server.folder().string()));
    }
}

TEST_CASE("a database that is not there, and a server that is not there, are named") {
    driver_fixture here;
    try {
        here.open(here.server.url("missing"));
        FAIL("connected");
    } catch (const store_error& e) {
        CHECK_THAT(e.what(), ContainsSubstring("missing"));
    }
    const auto nobody =
        std::string{here.on("postgres://u:secret@127.0.0.1:1/shop", "mysql://u:secret@127.0.0.1:1/shop")};
    try {
        here.open(nobody);
        FAIL("connected");
    } catch (const store_error& e) {
        CHECK_THAT(e.what(), ContainsSubstring("127.0.0.1:1/shop") && !ContainsSubstring("secret"));
    }
    const auto lost = std::string{here.on("postgres", "mysql")} + "://u:secret@no-such-host.invalid/shop";
    try {
        here.open(lost);
        FAIL("connected");
    } catch (const store_error& e) {
        CHECK_THAT(e.what(), ContainsSubstring("no-such-host.invalid") && !ContainsSubstring("secret"));
    }
}
