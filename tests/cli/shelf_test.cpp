// What `errand` says of tasks that wait on the shelf.
#include "cli/office.hpp"
#include "support/backing.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using namespace cli_test;
using Catch::Matchers::ContainsSubstring;

namespace {

errand::config shelved() {
    auto settings = errand::test::fresh_settings();
    settings.shelf = "sqlite://" + errand::test::fresh_database();
    return settings;
}

}  // namespace

TEST_CASE("errand shelf says how much waits there, and the other commands know of it") {
    office o{shelved()};
    const std::map<std::string, std::string> with{{"ERRAND_SHELF", o.app.settings().shelf}};
    const auto empty = o.errand({"shelf"}, {}, with);
    CHECK(empty.code == 0);
    CHECK_THAT(empty.out, ContainsSubstring("nothing waits on the shelf"));
    const auto first = o.submit(1, {.delay = 24h * 5});
    const auto second = o.submit(2, {.delay = 24h * 9});
    const auto told = o.errand({"shelf", "--json"}, {}, with);
    REQUIRE(told.code == 0);
    CHECK(told.json().at("tasks") == 2);
    CHECK(told.json().at("days").as_array().size() == 2);
    CHECK(o.errand({"show", first.id()}, {}, with).code == 0);
    CHECK_THAT(o.errand({"list", "delayed"}, {}, with).out, ContainsSubstring(second.id().substr(0, 8)));
    CHECK(o.errand({"cancel", first.id()}, {}, with).code == 0);
    CHECK(o.info(first).state == errand::state::cancelled);
    const auto left = o.errand({"shelf"}, {}, with);
    CHECK_THAT(left.out, ContainsSubstring("day"));
    CHECK_THAT(left.out, ContainsSubstring("1"));
}

TEST_CASE("errand shelf without a shelf says how one is named") {
    office o;
    const auto said = o.errand({"shelf"});
    CHECK(said.code == 2);
    CHECK_THAT(said.err, ContainsSubstring("ERRAND_SHELF"));
}
