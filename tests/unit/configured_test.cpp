// What is said of a program's settings.
#include <errand/error.hpp>

#include "core/config_text.hpp"
#include "core/store_list.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

using Catch::Matchers::Equals;
using errand::shown_stores;
using errand::store_urls;

TEST_CASE("a list of stores is shown without users, passwords and options") {
    CHECK(shown_stores("redis://cache:7000/1") == "redis://cache:7000/1");
    CHECK(shown_stores("rediss://anna:secret@cache:7000/1?wait=1") == "rediss://cache:7000/1");
    CHECK(shown_stores("redis://:p?w,x@one,redis://:q@two:1") == "redis://one, redis://two:1");
    CHECK(shown_stores("redis+unix:///run/redis?db=2") == "redis+unix:///run/redis");
    CHECK(shown_stores("sqlite:///var/a@b.db?synchronous=normal") == "sqlite:///var/a@b.db");
    CHECK(shown_stores("sqlite:tasks.db") == "sqlite:tasks.db");
}

TEST_CASE("a comma in a password does not begin another store") {
    CHECK(store_urls("redis://:a,b@one, redis://two") ==
          std::vector<std::string>{"redis://:a,b@one", "redis://two"});
}

TEST_CASE("a cluster, and what Sentinels watch over, has servers that take over from others") {
    CHECK(errand::fails_over("redis+cluster://redis-0:7000,redis-1"));
    CHECK(errand::fails_over("rediss+cluster://redis-0"));
    CHECK(errand::fails_over("redis://one,redis+sentinel://:p@one,two/shop"));
    CHECK_FALSE(errand::fails_over("redis://one,redis://two"));
    CHECK_FALSE(errand::fails_over("sqlite::memory:"));
    CHECK(shown_stores("redis+cluster://u:secret@one:1,two:2?wait=1") == "redis+cluster://one:1,two:2");
    CHECK(store_urls("redis+cluster://one:1,two:2").size() == 1);
}

TEST_CASE("variables of errand that mean nothing are named, with the nearest that does") {
    const std::vector<std::string> names{
        "PATH",    "ERRAND_STORE",    "ERRAND_CONCURENCY", "ERRAND_CONFIG", "ERRAND_LOG_FORMAT",
        "ERRANDS", "ERRAND_log_level"};
    const auto sentences = errand::unknown_variables(names);
    REQUIRE(sentences.size() == 2);
    CHECK(sentences[0] ==
          "the variable ERRAND_CONCURENCY means nothing here; the nearest that does is ERRAND_CONCURRENCY");
    CHECK(sentences[1].starts_with("the variable ERRAND_log_level means nothing here"));
}

namespace {

errand::config with_variable(const std::string& name, const std::string& value) {
    errand::config settings;
    errand::apply_variables(settings, [&](const std::string& asked) {
        return asked == name ? std::optional{value} : std::nullopt;
    });
    errand::check_config(settings);
    return settings;
}

errand::config serving(std::map<std::string, int> names) {
    errand::config settings;
    settings.name_spaces = std::move(names);
    return settings;
}

}  // namespace

TEST_CASE("the namespaces that a worker serves are given as its queues are") {
    const std::map<std::string, int> both{{"mail", 1}, {"shop", 3}};
    CHECK(with_variable("ERRAND_NAME_SPACES", "shop:3, mail").name_spaces == both);
    errand::config of_file;
    errand::apply_json(of_file, R"({"name_spaces": {"shop": 3, "mail": 1}})", "f.json");
    CHECK(of_file.name_spaces == both);
    CHECK(errand::config{}.name_spaces.empty());
}

TEST_CASE("keys in a file of the configuration that are no text are refused without what they are") {
    errand::config of_file;
    const auto* const given = R"({"encryption_keys": ["2026-11:c2VjcmV0"]})";
    CHECK_THROWS_WITH(
        errand::apply_json(of_file, given, "f.json"),
        Equals("f.json: encryption_keys: expected a string with the keys, or with the path of their file"));
    errand::apply_json(of_file, R"({"encryption_keys": "./errand.keys"})", "f.json");
    CHECK(of_file.encryption_keys == "./errand.keys");
}

TEST_CASE("namespaces to serve that cannot be are refused in a sentence") {
    CHECK_THROWS_WITH(with_variable("ERRAND_NAME_SPACES", "shop:x"),
                      Equals("ERRAND_NAME_SPACES: expected name:weight, for example mail:3, got \"shop:x\""));
    CHECK_THROWS_WITH(with_variable("ERRAND_NAME_SPACES", ":3"),
                      Equals("ERRAND_NAME_SPACES: expected name:weight, for example mail:3, got \":3\""));
    CHECK_THROWS_WITH(with_variable("ERRAND_NAME_SPACES", "shop:3,mail,shop:1"),
                      Equals("ERRAND_NAME_SPACES: expected each name once, got \"shop:1\""));
    CHECK_THROWS_WITH(errand::check_config(serving({{"shop", 0}})),
                      Equals("config.name_spaces: the weight of \"shop\" must be 1 to 1000, got 0"));
    CHECK_THROWS_WITH(errand::check_config(serving({{"shop", -3}})),
                      Equals("config.name_spaces: the weight of \"shop\" must be 1 to 1000, got -3"));
    CHECK_THROWS_WITH(errand::check_config(serving({{"", 1}})), Equals("config.name_spaces: 1 to 255 bytes"));
    CHECK_THROWS_WITH(errand::check_config(serving({{"a{b", 1}})),
                      Equals("config.name_spaces: must not contain { or }"));
    CHECK_NOTHROW(errand::check_config(serving({{"shop", 1000}})));
}
