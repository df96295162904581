// The coroutine API of a database: statements, parameters, rows, the pool.
#include "support/database_fixture.hpp"
#include "support/test_app.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/describe/enum.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <type_traits>

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
using Catch::Matchers::ContainsSubstring;
using errand::test::sql;
using errand::test::test_app;
using errand::test::test_database;

namespace rows {

enum class colour { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)
enum class plain : std::uint8_t { one = 1, two = 2 };

struct note {
    std::int64_t id = 0;
    std::optional<std::string> text;
};
struct wide {
    std::string text;
    std::uint8_t id = 0;
};
struct all_kinds {
    bool flag = false;
    double ratio = 0;
    colour named = colour::red;
    plain number = plain::one;
    errand::time_point at{};
    errand::sql::bytes bytes;
    boost::json::value json;
    std::chrono::seconds length{};
};

}  // namespace rows

TEST_CASE("what a database refuses is told with its statement") {
    test_app t;
    test_database db{t.app};
    for (const std::string statement : {"INSERT INTO nowhere VALUES (1)", "SELEKT 1"}) {
        try {
            t.run(db->execute(statement));
            FAIL("it was not refused");
        } catch (const errand::database_error& refused) {
            CHECK_THAT(refused.what(), ContainsSubstring(" in: " + statement));
        }
    }
}

TEST_CASE("a database may be owned by what knows its base alone") {
    STATIC_CHECK(std::is_destructible_v<errand::database>);
    STATIC_CHECK(std::has_virtual_destructor_v<errand::database>);
}

TEST_CASE("Statements outside of a transaction: parameters by place, rows by the names of members",
          "[database]") {
    test_app t;
    test_database db{t.app};
    CHECK(t.run(db->execute(sql("INSERT INTO note(id, text) VALUES(?, ?), (?, ?)"), 1, "one", 2,
                            std::nullopt)) == 2);
    const auto all = t.run(db->query<rows::note>("SELECT text, id FROM note ORDER BY id"));
    REQUIRE(all.size() == 2);
    CHECK(all[0].id == 1);
    CHECK(all[0].text == "one");
    CHECK_FALSE(all[1].text);
    CHECK(t.run(db->query<std::int64_t>("SELECT count(*) FROM note")) == std::vector<std::int64_t>{2});
    CHECK(t.run(db->query<std::pair<int, std::string>>(sql("SELECT id, text FROM note WHERE id = ?"), 1)) ==
          std::vector{std::pair{1, std::string{"one"}}});
    CHECK(t.run(db->query<std::vector<errand::sql::value>>("SELECT id FROM note ORDER BY id")).size() == 2);
    CHECK(t.run(db->execute(sql("UPDATE note SET text = ? WHERE id > ?"), std::optional<std::string>{"x"},
                            0)) == 2);
}

TEST_CASE("Members are taken by position when names do not fit and their number does", "[database]") {
    test_app t;
    test_database db{t.app};
    t.run(db->execute(sql("INSERT INTO note(id, text) VALUES(?, ?)"), 7, "seven"));
    const auto got = t.run(db->query<rows::wide>("SELECT text AS a, id AS b FROM note"));
    CHECK(got.at(0).id == 7);
    CHECK_THROWS_WITH(t.run(db->query<rows::wide>("SELECT text AS a FROM note")),
                      ContainsSubstring("columns a") && ContainsSubstring("text, id"));
}

TEST_CASE("What does not fit is bad_data naming column and row", "[database]") {
    test_app t;
    test_database db{t.app};
    t.run(db->execute(sql("INSERT INTO note(id, text) VALUES(?, ?), (?, ?)"), 1, "a", 300, "b"));
    CHECK_THROWS_AS(t.run(db->query<rows::wide>("SELECT id, text FROM note ORDER BY id")), errand::bad_data);
    CHECK_THROWS_WITH(t.run(db->query<rows::wide>("SELECT id, text FROM note ORDER BY id")),
                      ContainsSubstring("column id, row 2: expected a number from 0 to 255, got 300"));
    CHECK_THROWS_WITH(t.run(db->query<std::int64_t>("SELECT text FROM note ORDER BY id")),
                      ContainsSubstring("column text, row 1: expected a whole number, got text \"a\""));
    t.run(db->execute("UPDATE note SET text = NULL"));
    CHECK_THROWS_WITH(t.run(db->query<std::string>("SELECT text FROM note")),
                      ContainsSubstring("got NULL: read it as std::optional"));
    CHECK_THROWS_AS(t.run(db->execute(sql("UPDATE note SET id = ?"), ~std::uint64_t{0})), errand::bad_data);
}

TEST_CASE("All kinds of values come back as they went", "[database]") {
    test_app t;
    test_database db{t.app};
    const bool postgres = errand::test::database_kind() == "postgres";
    const bool mysql = errand::test::database_kind() == "mysql";
    t.run(db->execute(std::string{
                          "CREATE TABLE kinds(flag BOOLEAN, ratio DOUBLE PRECISION, named VARCHAR(20), "} +
                      "number INT, at " + (mysql ? "DATETIME(3)" : "TIMESTAMP") + ", bytes " +
                      (postgres ? "BYTEA"
                       : mysql  ? "VARBINARY(100)"
                                : "BLOB") +
                      ", json " + (mysql || postgres ? "JSON" : "TEXT") + ", length BIGINT)"));
    const rows::all_kinds in{true,
                             0.25,
                             rows::colour::green,
                             rows::plain::two,
                             errand::time_point{1'763'700'000'123ms},
                             {std::byte{0}, std::byte{255}},
                             boost::json::value{{"a", 1}},
                             90s};
    t.run(db->execute(sql("INSERT INTO kinds VALUES(?, ?, ?, ?, ?, ?, ?, ?)"), in.flag, in.ratio, in.named,
                      in.number, in.at, in.bytes, in.json, in.length));
    const auto out = t.run(
        db->query<rows::all_kinds>("SELECT flag, ratio, named, number, at, bytes, json, length FROM kinds"));
    REQUIRE(out.size() == 1);
    CHECK(out[0].flag);
    CHECK(out[0].ratio == 0.25);
    CHECK(out[0].named == rows::colour::green);
    CHECK(out[0].number == rows::plain::two);
    CHECK(out[0].at == in.at);
    CHECK(out[0].bytes == in.bytes);
    CHECK(out[0].json == in.json);
    CHECK(out[0].length == 90s);
}

TEST_CASE("What a database refuses is a database_error with its code", "[database]") {
    test_app t;
    test_database db{t.app};
    t.run(db->execute(sql("INSERT INTO note(id) VALUES(?)"), 1));
    CHECK_THROWS_AS(t.run(db->execute(sql("INSERT INTO note(id) VALUES(?)"), 1)), errand::database_error);
    CHECK_THROWS_AS(t.run(db->execute("SELEKT")), errand::database_error);
    try {
        t.run(db->execute(sql("INSERT INTO note(id) VALUES(?)"), 1));
        FAIL("nothing was thrown");
    } catch (const errand::database_error& e) {
        CHECK_FALSE(e.code().empty());
    }
    // The connection is as good as before.
    CHECK(t.run(db->execute(sql("INSERT INTO note(id) VALUES(?)"), 2)) == 1);
}

TEST_CASE("Who waits for a connection in vain is told so", "[database]") {
    test_app t;
    test_database db{t.app, {.connections = 1, .wait = 50ms}};
    t.run([](errand::database& in) -> errand::awaitable<void> {
        co_await errand::transaction(in, [&](auto& tx) -> errand::awaitable<void> {
            co_await tx.execute("DELETE FROM note");
            CHECK_THROWS_AS(co_await in.execute("DELETE FROM note"), errand::store_error);
        });
    }(*db));
    CHECK(t.run(db->query<int>("SELECT 1")).at(0) == 1);
}

TEST_CASE("Many statements at once share few connections", "[database][concurrent]") {
    test_app t;
    test_database db{t.app, {.connections = 3}};
    t.run([](errand::database& in) -> errand::awaitable<void> {
        const auto insert = [&](int from) -> errand::awaitable<void> {
            for (int id = from; id < from + 50; ++id)
                co_await in.execute(sql("INSERT INTO note(id) VALUES(?)"), id);
        };
        co_await (insert(0) && insert(100) && insert(200) && insert(300) && insert(400));
    }(*db));
    CHECK(t.run(db->query<int>("SELECT count(*) FROM note")).at(0) == 250);
}
