// URLs of databases: what they mean, and in what words they are refused; never with the password.
#include <errand/error.hpp>

#include "sql/mysql/address.hpp"
#include "sql/postgres/address.hpp"
#include "support/driver_fixture.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::test;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class Parse>
std::string refusal_of(Parse parse, const std::string& url) {
    try {
        parse(url);
    } catch (const usage_error& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a URL of PostgreSQL", "[only_postgres]") {
    using postgres::parse_address;
    const auto full =
        parse_address("postgresql://me:se%40cret@db.example:5433/shop?sslmode=require&connect_timeout=3");
    CHECK(full.settings.at("host") == "db.example");
    CHECK(full.settings.at("password") == "se@cret");
    CHECK(full.settings.at("sslmode") == "require");
    CHECK(full.connect_timeout == std::chrono::seconds{3});
    CHECK(full.shown == "postgres://db.example:5433/shop");
    CHECK(parse_address("postgres:///shop?host=/tmp/run").shown == "postgres:///shop?host=/tmp/run");
    CHECK(parse_address("postgres://%2Ftmp%2Frun/shop").shown == "postgres:///shop?host=/tmp/run");
    CHECK(parse_address("postgres://[::1]:5432/shop").settings.at("host") == "::1");
    CHECK(parse_address("postgres://a:1,b:2/shop").settings.at("port") == "1,2");
}

TEST_CASE("a URL that is none of PostgreSQL", "[only_postgres]") {
    const auto refusal = [](const std::string& url) { return refusal_of(postgres::parse_address, url); };
    CHECK_THAT(refusal("mysql://h/x"), ContainsSubstring("does not begin with postgres://"));
    CHECK_THAT(refusal("postgres://h/x?colour=red"), ContainsSubstring("colour"));
    CHECK_THAT(refusal("postgres://h/x?connect_timeout=soon"), ContainsSubstring("soon"));
    for (const auto* url : {"postgres://me:secret%zz@h/x", "postgres://me:sec/ret[@h/x",
                            "postgres://me:secret@[::1/x", "postgres://me:a/b?sec=1@h/x"})
        CHECK_THAT(refusal(url), ContainsSubstring("URL") && !ContainsSubstring("sec"));
}

TEST_CASE("a URL of MySQL", "[only_mysql]") {
    using mysql::parse_address;
    const auto full =
        parse_address("mysql://me:se%40cret@db.example:3307/shop?tls=on&ca=/etc/ca.pem&connect_timeout=3");
    CHECK(full.host == "db.example");
    CHECK(full.port == 3307);
    CHECK(full.user == "me");
    CHECK(full.password == "se@cret");
    CHECK(full.database == "shop");
    CHECK((full.tls && full.verify));
    CHECK(full.ca_file == "/etc/ca.pem");
    CHECK(full.connect_timeout == std::chrono::seconds{3});
    CHECK(full.shown == "mysql://db.example:3307/shop");
    const auto local = parse_address("mysql://root@localhost/shop?socket=/run/my%20sock");
    CHECK(local.socket == "/run/my sock");
    CHECK(local.shown == "mysql://localhost/shop?socket=/run/my sock");
    CHECK(parse_address("mysql://[::1]/").host == "::1");
    CHECK(parse_address("mysql://h").port == 3306);
}

TEST_CASE("a URL that is none of MySQL", "[only_mysql]") {
    const auto refusal = [](const std::string& url) { return refusal_of(mysql::parse_address, url); };
    CHECK_THAT(refusal("postgres://h/x"), ContainsSubstring("does not begin with mysql://"));
    CHECK_THAT(refusal("mysql:///x"), ContainsSubstring("names no host"));
    CHECK_THAT(refusal("mysql://h/x?colour=red"), ContainsSubstring("colour"));
    CHECK_THAT(refusal("mysql://h/x?connect_timeout=0"), ContainsSubstring("connect_timeout"));
    for (const auto* url :
         {"mysql://me:secret@h:port/x", "mysql://me:sec/ret@h/x", "mysql://me:sec/ret?sec@h/x"})
        CHECK_THAT(refusal(url), ContainsSubstring("URL") && !ContainsSubstring("sec"));
    CHECK_THAT(refusal("mysql://h/x?socket=relative"), ContainsSubstring("relative"));
    CHECK_THAT(refusal("mysql://h/x?tls=on&ca=/no/such/file"), ContainsSubstring("accepted"));
    CHECK_THROWS_AS(driver_of("mysql://h/x?tls=on&ca=/no/such/file"), usage_error);
}
