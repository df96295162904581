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

void refused_url(const char* url, const std::string& naming) {
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
    refused_url("redis://h?wait=", "wait");
    refused_url("redis://h?wait=-1", "-1");
}

TEST_CASE("a wrong URL is refused with the part that is wrong") {
    refused_url("localhost", "localhost");
    refused_url("http://localhost", "http");
    refused_url("redis://", "no host");
    refused_url("redis://:7000", "no host");
    refused_url("redis://h:0", "port");
    refused_url("redis://h:99999", "99999");
    refused_url("redis://h:port", "port");
    refused_url("redis://h/two", "two");
    refused_url("redis://h?ssl=1", "\"ssl\"");
    refused_url("redis+unix://relative", "relative");
    refused_url("redis://[::1", "bracket");
    refused_url("redis+other://h", "unknown scheme");
    refused_url("rediss+sentinel://h/m", "not supported");
}

TEST_CASE("a cluster's URL names some of its servers") {
    using enum errand::redis::server_kind;
    const auto to = parse_address("redis+cluster://anna:a,b@redis-0:7000,redis-1,[::1]:7002?wait=1");
    CHECK(to.kind == cluster);
    CHECK(to.seeds ==
          std::vector<errand::redis::endpoint>{{"redis-0", "7000"}, {"redis-1", "6379"}, {"::1", "7002"}});
    CHECK(to.user == "anna");
    CHECK(to.password == "a,b");
    CHECK(to.wait == 1);
    CHECK_FALSE(to.tls);
    CHECK(to.shown == "redis+cluster://redis-0:7000,redis-1,[::1]:7002");
    CHECK(parse_address("redis+cluster://h/0").database == 0);
    CHECK(parse_address("rediss+cluster://h,i?verify=none&ca=/etc/us@home.pem").tls);
    CHECK(parse_address("redis://h").kind == single);
    CHECK(parse_address("redis://h").seeds.empty());
    refused_url("redis+cluster://h,i/2", "only one");
    refused_url("redis+cluster://h?db=1", "only one");
    refused_url("redis+cluster://", "no host");
    refused_url("redis+cluster://h,", "no host");
    refused_url("redis+cluster://h,,i", "no host");
    refused_url("redis+cluster://h,i:0", "port");
    refused_url("redis+cluster://h,i:70000", "70000");
}

TEST_CASE("a URL of Sentinels names some of them, and the master") {
    const auto to = parse_address("redis+sentinel://:secret@one,two:26380/shop?db=2&wait=1");
    CHECK(to.kind == errand::redis::server_kind::sentinels);
    CHECK(to.seeds == std::vector<errand::redis::endpoint>{{"one", "26379"}, {"two", "26380"}});
    CHECK(to.master == "shop");
    CHECK(to.database == 2);
    CHECK(to.wait == 1);
    CHECK(to.shown == "redis+sentinel://one,two:26380/shop");
    CHECK(to.sentinel_password.empty());
    const auto own =
        parse_address("redis+sentinel://u:master@one/shop?sentinel_user=looks&sentinel_password=a%26b&db=1");
    CHECK(own.password == "master");
    CHECK(own.sentinel_user == "looks");
    CHECK(own.sentinel_password == "a&b");
    CHECK(own.database == 1);
    CHECK(own.shown == "redis+sentinel://one/shop");
    refused_url("redis://one?sentinel_password=x", "for Sentinels, and names none");
    refused_url("redis+cluster://one?sentinel_user=x", "for Sentinels, and names none");
    refused_url("redis+sentinel://one,two", "by which name");
    refused_url("redis+sentinel://one/", "by which name");
}

TEST_CASE("a cluster is divided into 16 shards where nothing is said, into 64 at most, and stands alone") {
    CHECK(check_store("redis+cluster://h", 0) == 16);
    CHECK(check_store("redis+cluster://h", 3) == 3);
    CHECK(check_store("redis://h", 0) == 1);
    CHECK_NOTHROW(check_store("redis+cluster://h", 64));
    CHECK_THROWS_MATCHES(check_store("redis+cluster://h", 65), usage_error,
                         MessageMatches(ContainsSubstring("at most 64")));
    CHECK_THROWS_MATCHES(check_store("redis+cluster://h,redis://i", 2), usage_error,
                         MessageMatches(ContainsSubstring("in one URL")));
    CHECK_THROWS_MATCHES(check_store("redis://i,redis+cluster://h", 0), usage_error,
                         MessageMatches(ContainsSubstring("in one URL")));
}

TEST_CASE("a refusal does not show the password") {
    CHECK_THROWS_MATCHES(parse_address("redis://u:secret@h:x"), usage_error,
                         MessageMatches(!ContainsSubstring("secret")));
    for (const auto* url :
         {"u:secret@h", "redis://:sec/secret@h", "redis://u:sec/secret@h/1", "redis://:secret",
          "redis://u:secret", "redis+cluster://u:secret", "redis+cluster://:secret,h",
          "redis+cluster://u:sec/secret@h,i", "redis+sentinel://u:secret/m", "redis+sentinel://h,u:secret/m",
          "redis://h?sentinel_password=secret", "redis+sentinel://h/m?sentinel_pass=secret"})
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
    CHECK_NOTHROW(check_store("redis+cluster://redis-0:7000,redis-1:7000", 1));
    CHECK_NOTHROW(check_store("redis+sentinel://redis-0,redis-1/one,redis+sentinel://redis-0/two", 2));
    CHECK_THROWS_MATCHES(check_store("redis://one,redis://two", 1), usage_error,
                         MessageMatches(ContainsSubstring("2 servers")));
}
