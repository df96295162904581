// What is said of a program's settings.
#include "core/config_text.hpp"
#include "core/store_list.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

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
