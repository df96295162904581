// What goes into a database comes back as it was.
#include "support/driver_fixture.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace errand;
using namespace errand::test;

namespace {

sql::bytes bytes_of(std::size_t size) {
    sql::bytes all(size);
    for (std::size_t at = 0; at < size; ++at) all[at] = static_cast<std::byte>(at % 256);
    return all;
}

struct value_fixture : driver_fixture {
    session_ptr session = open();

    value_fixture() {
        run(session,
            on("CREATE TABLE kept(at bigint, truth boolean, number bigint, real double precision, words text, raw bytea)",
               "CREATE TABLE kept(at bigint, truth boolean, number bigint, `real` double, words longtext, raw longblob)"));
    }

    // The value, put into a column and read from it.
    sql::value there_and_back(const std::string& column, const sql::value& one) {
        static std::int64_t last = 0;
        const auto name = std::string{on("", "`")} + column + on("", "`");
        run(session, "INSERT INTO kept(at, " + name + ") VALUES ($1, $2)", {++last, one});
        return ask(session, "SELECT " + name + " FROM kept WHERE at = $1", {last});
    }
    void keeps(const std::string& column, const sql::value& one) {
        CHECK(there_and_back(column, one) == one);
    }
};

}  // namespace

TEST_CASE("values of every type come back as they went") {
    value_fixture here;
    here.keeps("number", std::int64_t{42});
    here.keeps("real", 0.1);
    here.keeps("words", std::string{"plain"});
    here.keeps("raw", bytes_of(256));
    // What has no booleans keeps numbers.
    const auto truth = here.there_and_back("truth", true);
    CHECK((truth == sql::value{true} || truth == sql::value{std::int64_t{1}}));
    const auto lie = here.there_and_back("truth", false);
    CHECK((lie == sql::value{false} || lie == sql::value{std::int64_t{0}}));
}

TEST_CASE("NULL is NULL in a column of any type") {
    value_fixture here;
    for (const auto* column : {"truth", "number", "real", "words", "raw"})
        here.keeps(column, std::monostate{});
    CHECK(here.ask(here.session, "SELECT NULL") == sql::value{});
}

TEST_CASE("empty is not NULL") {
    value_fixture here;
    here.keeps("words", std::string{});
    here.keeps("raw", sql::bytes{});
}

TEST_CASE("the outermost numbers are kept") {
    value_fixture here;
    here.keeps("number", std::numeric_limits<std::int64_t>::min());
    here.keeps("number", std::numeric_limits<std::int64_t>::max());
    for (const double real :
         {DBL_MAX, -DBL_MAX, DBL_MIN, 1.0 / 3, 123456789.123456789, 1e-300, -0.0, 5e15 + 0.5}) {
        const auto got = here.there_and_back("real", real);
        REQUIRE(std::holds_alternative<double>(got));
        CHECK(std::get<double>(got) == real);
    }
}

TEST_CASE("texts are any Unicode, with what means something elsewhere") {
    value_fixture here;
    for (const auto* text :
         {"äöü ß €", "日本語", "😀 👩‍👩‍👧", "it's \"quoted\" `so`", "back\\slash \\n \\0",
          "$1 ? %s :name", "line\nline\r\n\ttab", "'; DROP TABLE kept; --", "\x7f"})
        here.keeps("words", std::string{text});
}

TEST_CASE("large values are kept whole") {
    value_fixture here;
    here.keeps("raw", bytes_of(5'000'000));
    std::string words;
    while (words.size() < 3'000'000) words += "wörter und wörter ";
    here.keeps("words", words);
}

TEST_CASE("many parameters go at once, in their order") {
    value_fixture here;
    std::string statement = "INSERT INTO kept(at, number) VALUES ";
    std::vector<sql::value> values;
    for (std::int64_t at = 0; at < 2000; ++at) {
        const auto place = std::to_string(2 * at + 1);
        statement += std::string{at ? ", " : ""} + "($" + place + ", $" + std::to_string(2 * at + 2) + ")";
        values.insert(values.end(), {at, at * at});
    }
    CHECK(here.run(here.session, statement, values).affected == 2000);
    CHECK(here.ask(here.session, "SELECT count(*) FROM kept WHERE number = at * at") ==
          sql::value{std::int64_t{2000}});
}

TEST_CASE("what has no type of its own comes as the text that the database prints") {
    value_fixture here;
    const auto got =
        here.run(here.session, here.on("SELECT DATE '2026-11-21', TIMESTAMP '2026-11-21 10:00:00.25', "
                                       "TIME '23:59:59', 12.50::numeric(6,2), '{\"a\": 1}'::jsonb",
                                       "SELECT DATE '2026-11-21', TIMESTAMP '2026-11-21 10:00:00.25', "
                                       "TIME '23:59:59', CAST(12.5 AS decimal(6,2)), "
                                       "JSON_COMPACT('{\"a\": 1}')"));
    REQUIRE(got.rows.size() == 1);
    CHECK(got.rows[0][0] == sql::value{std::string{"2026-11-21"}});
    CHECK(got.rows[0][1] == sql::value{std::string{"2026-11-21 10:00:00.25"}});
    CHECK(got.rows[0][2] == sql::value{std::string{"23:59:59"}});
    CHECK(got.rows[0][3] == sql::value{std::string{"12.50"}});
    CHECK(got.rows[0][4] == sql::value{std::string{here.on("{\"a\": 1}", "{\"a\":1}")}});
}

TEST_CASE("texts and numbers fit columns of other types") {
    driver_fixture here;
    const auto session = here.open();
    here.run(
        session,
        here.on("CREATE TABLE kinds(small smallint, whole int, exact numeric(8,2), single real, born date, "
                "seen timestamptz, id uuid, document jsonb, name varchar(10))",
                "CREATE TABLE kinds(small smallint, whole int, exact decimal(8,2), single float, born date, "
                "seen datetime(3), id uuid, document json, name varchar(10))"));
    here.run(session, "INSERT INTO kinds VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
             {std::int64_t{7}, std::int64_t{-70000}, std::string{"12.5"}, 1.5, std::string{"2026-02-28"},
              std::string{"2026-02-28 10:00:00.125"}, std::string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
              std::string{"{\"k\": [1, 2]}"}, std::string{"short"}});
    const auto row = here.run(session, "SELECT * FROM kinds").rows.at(0);
    CHECK(row[0] == sql::value{std::int64_t{7}});
    CHECK(row[1] == sql::value{std::int64_t{-70000}});
    CHECK(row[2] == sql::value{std::string{"12.50"}});
    CHECK(row[3] == sql::value{1.5});
    CHECK(row[4] == sql::value{std::string{"2026-02-28"}});
    CHECK(std::get<std::string>(row[5]).starts_with("2026-02-28 10:00:00.125"));
    CHECK(row[6] == sql::value{std::string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}});
    CHECK(row[7] == sql::value{std::string{"{\"k\": [1, 2]}"}});
    CHECK(row[8] == sql::value{std::string{"short"}});
    // And NULL into all of them.
    CHECK(here.run(session, "INSERT INTO kinds VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                   std::vector<sql::value>(9))
              .affected == 1);
}

TEST_CASE("times are UTC, wherever the server is") {
    driver_fixture here;
    const auto session = here.open();
    const auto now =
        std::get<std::string>(here.ask(session, here.on("SELECT now()::timestamp", "SELECT now(6)")));
    const auto utc = std::get<std::string>(here.ask(session, here.on("SELECT now() AT TIME ZONE 'UTC'",
                                                                     "SELECT utc_timestamp(6)")));
    CHECK(now.substr(0, 15) == utc.substr(0, 15));
    CHECK(here.ask(session, here.on("SHOW TimeZone", "SELECT @@time_zone")) ==
          sql::value{std::string{here.on("UTC", "+00:00")}});
}
