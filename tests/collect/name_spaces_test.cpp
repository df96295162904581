// Items of several namespaces that one worker serves.
#include "collect/handlers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace collect_test;

TEST_CASE("items are collected with those of their own namespace", "[shared_by_apps]") {
    auto settings = errand::test::fresh_settings();
    settings.shards = 1;
    const auto of_tenant = [&](const std::string& name) {
        auto its = settings;
        its.name_space += name;
        return its;
    };
    office first{of_tenant("-first")};
    office second{of_tenant("-second")};
    settings.name_spaces = {{first.app.settings().name_space, 1}, {second.app.settings().name_space, 1}};
    office server{settings};
    server.start();
    const auto one = first.send<pairs>(1);
    const auto other = second.send<pairs>(101);
    const auto one_more = first.send<pairs>(2);
    const auto other_more = second.send<pairs>(102);
    CHECK(first.wait(one) == 1);
    CHECK(first.wait(one_more) == 2);
    CHECK(second.wait(other) == 101);
    CHECK(second.wait(other_more) == 102);
    for (const auto& run : server.book.made()) {
        REQUIRE(run.size() == 2);
        CHECK((run[0] < 100) == (run[1] < 100));
    }
}
