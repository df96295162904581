#include "core/named_sql.hpp"

#include <catch2/catch_test_macros.hpp>

using errand::named_sql_in;

TEST_CASE("statements of a file are found by their names, in their order") {
    const auto all = named_sql_in(
        "-- what it is for\n\n-- name: one\nSELECT 1\n\n-- name: two\nSELECT\n  2\n-- name: three\n");
    REQUIRE(all.size() == 3);
    CHECK(all[0].name == "one");
    CHECK(all[0].text == "SELECT 1");
    CHECK(all[1].name == "two");
    CHECK(all[1].text == "SELECT\n  2");
    CHECK(all[2].name == "three");
    CHECK(all[2].text.empty());
    CHECK(named_sql_in("").empty());
    CHECK(named_sql_in("-- name: last").at(0).name == "last");
}
