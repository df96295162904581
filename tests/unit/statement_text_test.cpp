// What is read off a statement, and which prepared statements are kept.
#include "sql/statement_cache.hpp"
#include "sql/statement_text.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand::sql;

TEST_CASE("a statement's beginning is one line, cut between characters") {
    CHECK(beginning("SELECT 1") == "SELECT 1");
    CHECK(beginning("  SELECT\n\t 1 ;\r\n") == "SELECT 1 ;");
    CHECK(beginning("") == "");
    CHECK(beginning(std::string(80, 'x')) == std::string(80, 'x'));
    CHECK(beginning(std::string(81, 'x')) == std::string(80, 'x') + "…");
    // The 80th byte is in the middle of an ü.
    CHECK(beginning(std::string(79, 'x') + "üü") == std::string(79, 'x') + "…");
    CHECK(beginning(std::string(1'000'000, ' ') + "x").size() < 10);
}

TEST_CASE("the first word is found after comments and brackets") {
    CHECK(first_word("select 1") == "SELECT");
    CHECK(first_word("\n  -- why\n/* and /* how */ (SELECT 1)") == "SELECT");
    CHECK(first_word("COMMIT;") == "COMMIT");
    CHECK(first_word("/* endless") == "");
    CHECK(first_word("-- only this") == "");
    CHECK(first_word("'text'") == "");
}

TEST_CASE("plans are kept of what reads and changes rows") {
    for (const auto* one : {"SELECT 1", "insert into t values (1)", "WITH x AS (SELECT 1) SELECT * FROM x",
                            "-- why\nUPDATE t SET x = 1", "(SELECT 1) UNION (SELECT 2)", "DELETE FROM t"})
        CHECK(is_worth_keeping(one));
    for (const auto* one :
         {"BEGIN", "COMMIT", "SAVEPOINT s", "CREATE TABLE t(x int)", "SET x = 1", "", "CALL p()"})
        CHECK_FALSE(is_worth_keeping(one));
    CHECK_FALSE(is_worth_keeping("INSERT INTO t VALUES (1)" + std::string(10'000, ' ')));
}

TEST_CASE("the statement that was not used for longest makes room") {
    statement_cache<int> cache{2};
    CHECK_FALSE(cache.add("a", 1));
    CHECK_FALSE(cache.add("b", 2));
    REQUIRE(cache.find("a"));
    CHECK(cache.add("c", 3) == 2);
    CHECK_FALSE(cache.find("b"));
    REQUIRE(cache.find("a"));
    CHECK(*cache.find("a") == 1);
    CHECK(cache.remove("a") == 1);
    CHECK_FALSE(cache.remove("a"));
    CHECK_FALSE(cache.find("a"));
    CHECK(cache.size() == 1);
}
