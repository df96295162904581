#include <errand/error.hpp>

#include "app/open_store.hpp"
#include "store/redis/address.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using errand::redis::parse_address;

namespace {

void refused(const char* url, const std::string& naming) {
    CAPTURE(url);
    CHECK_THROWS_MATCHES(parse_address(url), usage_error, MessageMatches(ContainsSubstring(naming)));
}

}  // namespace

TEST_CASE("a Redis URL says host, port and database, with defaults") {
    const auto plain = parse_address("redis://cache");
    CHECK(plain.host == "cache");
    CHECK(plain.port == "6379");
    CHECK(plain.database == 0);
    CHECK_FALSE(plain.tls);
    const auto full = parse_address("redis://cache.example:7000/12");
    CHECK(full.port == "7000");
    CHECK(full.database == 12);
    CHECK(parse_address("redis://[::1]:7000").host == "::1");
    CHECK(parse_address("redis://[::1]").port == "6379");
}

TEST_CASE("user and password are decoded and not shown") {
    const auto to = parse_address("rediss://anna:p%40ss%2Fword@cache:6380/1?verify=none");
    CHECK(to.user == "anna");
    CHECK(to.password == "p@ss/word");
    CHECK(to.tls);
    CHECK_FALSE(to.verify);
    CHECK(to.shown == "rediss://cache:6380/1");
    CHECK(parse_address("redis://:secret@h").password == "secret");
    CHECK(parse_address("redis://:secret@h").user.empty());
}

TEST_CASE("a unix socket's URL names its path") {
    const auto to = parse_address("redis+unix:///run/redis/socket?db=2");
    CHECK(to.unix_path == "/run/redis/socket");
    CHECK(to.database == 2);
    CHECK(to.shown == "redis+unix:///run/redis/socket");
}

TEST_CASE("a URL says how many replicas confirm a change") {
    CHECK(parse_address("redis://h").wait == 0);
    CHECK(parse_address("redis://h/1?wait=2").wait == 2);
    CHECK(parse_address("redis+unix:///s?db=2&wait=1").wait == 1);
    refused("redis://h?wait=", "wait");
    refused("redis://h?wait=-1", "-1");
}

TEST_CASE("a wrong URL is refused with the part that is wrong") {
    refused("localhost", "localhost");
    refused("http://localhost", "http");
    refused("redis://", "no host");
    refused("redis://:7000", "no host");
    refused("redis://h:0", "port");
    refused("redis://h:99999", "99999");
    refused("redis://h:port", "port");
    refused("redis://h/two", "two");
    refused("redis://h?ssl=1", "\"ssl\"");
    refused("redis+unix://relative", "relative");
    refused("redis://[::1", "bracket");
    refused("redis+cluster://h", "not supported yet");
    refused("redis+sentinel://h", "not supported yet");
}

TEST_CASE("a refusal does not show the password") {
    CHECK_THROWS_MATCHES(parse_address("redis://u:secret@h:x"), usage_error,
                         MessageMatches(!ContainsSubstring("secret")));
    for (const auto* url : {"u:secret@h", "redis://:sec/secret@h", "redis://u:sec/secret@h/1",
                            "redis://:secret", "redis://u:secret"})
        CHECK_THROWS_MATCHES(parse_address(url), usage_error, MessageMatches(!ContainsSubstring("sec")));
}

TEST_CASE("what needs no code in a URL stands for itself") {
    CHECK(parse_address("redis://u:a^b|c#d %e,f@h").password == "a^b|c#d %e,f");
    CHECK(parse_address("redis://a@b:c@h").user == "a@b");
    CHECK(parse_address("rediss://h?ca=/etc/us@home.pem").ca_file == "/etc/us@home.pem");
    CHECK(parse_address("redis+unix:///run/us@home").unix_path == "/run/us@home");
}

TEST_CASE("a list of URLs is split before a URL, and not before a host or a password that begins like one") {
    CHECK_NOTHROW(check_store("redis://anna:a,redis-b@cache", 1));
    CHECK_NOTHROW(check_store("redis://one, rediss://two:7000/1,redis+unix:///three", 3));
    CHECK_THROWS_MATCHES(check_store("redis+cluster://redis-0:7000,redis-1:7000", 1), usage_error,
                         MessageMatches(ContainsSubstring("not supported yet")));
    CHECK_THROWS_MATCHES(check_store("redis://one,redis://two", 1), usage_error,
                         MessageMatches(ContainsSubstring("2 servers")));
}
