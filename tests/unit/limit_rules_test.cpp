#include <errand/error.hpp>

#include "core/limit_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>

using Catch::Matchers::ContainsSubstring;
using errand::limit_rule;

namespace {

void limit_refused(const std::string& name, const limit_rule& rule, const std::string& words) {
    CHECK_THROWS_WITH(errand::check_declared_limit(name, rule),
                      ContainsSubstring("limit \"" + name.substr(0, 40)) && ContainsSubstring(words));
}

}  // namespace

TEST_CASE("a declared limit has a readable name of its own and limits something") {
    const limit_rule five{.max_running = 5};
    CHECK_NOTHROW(errand::check_declared_limit("crm-api", five));
    CHECK_NOTHROW(errand::check_declared_limit("https://api.example.com:443/v1", five));
    CHECK_NOTHROW(errand::check_declared_limit(std::string(64, 'n'), {.rate = errand::per_minute(1)}));
    limit_refused("", five, "0 bytes long");
    limit_refused(std::string(65, 'n'), five, "65 bytes long");
    limit_refused("two words", five, "a character that may not stand there");
    limit_refused("handler:x", five, "errand's own names");
    limit_refused("queue:x", five, "errand's own names");
    limit_refused("namespace", five, "errand's own names");
    limit_refused("crm", {}, "limits nothing");
    limit_refused("crm", {.max_running = -1}, ".max_running = -1: must be 0..");
    limit_refused("crm", {.rate = errand::per_second(0)}, ".rate.count = 0: must be 1..");
}

TEST_CASE("at run time a rule may limit nothing") {
    CHECK_NOTHROW(errand::check_limit_rule("crm", {}));
    CHECK_NOTHROW(errand::check_limit_rule("crm", {.max_running = 0}));
    CHECK_THROWS_AS(errand::check_limit_rule("crm", {.rate = errand::per_second(-1)}), errand::usage_error);
}

TEST_CASE("a key of more than 1024 bytes is refused with its handler and what gave it") {
    CHECK_NOTHROW(errand::check_limit_key("shop::pay", "rate_key", std::string(1024, 'k')));
    CHECK_THROWS_WITH(
        errand::check_limit_key("shop::pay", "rate_key", std::string(1025, 'k')),
        "handler \"shop::pay\": rate_key gave a key of 1025 bytes; the limit is 1024: give a shorter one, such "
        "as a hash of it");
}

TEST_CASE("the nearest name is the one with the fewest changes") {
    const std::array<std::string, 3> names{"crm-api", "handler:sync", "mail"};
    CHECK(errand::nearest_name("crm_api", names) == "crm-api");
    CHECK(errand::nearest_name("handler:synk", names) == "handler:sync");
    CHECK(errand::nearest_name("", names) == "mail");
    CHECK(errand::nearest_name("x", {}).empty());
}

TEST_CASE("a policy names limits that the program declares") {
    const std::array<std::string, 2> declared{"crm-api", "mail"};
    CHECK_NOTHROW(errand::check_limits_are_declared("shop::pay", {.limits = {"mail", "crm-api"}}, declared));
    CHECK_THROWS_WITH(
        errand::check_limits_are_declared("shop::pay", {.limits = {"mail", "crm"}}, declared),
        ContainsSubstring(
            "handler \"shop::pay\": policy .limits = \"crm\": no limit of that name is declared; "
            "the nearest is \"crm-api\": write inline const errand::limit"));
    CHECK_THROWS_WITH(errand::check_limits_are_declared("shop::pay", {.limits = {"crm"}}, {}),
                      ContainsSubstring("declared: write inline"));
}
