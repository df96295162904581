// By TCP, with names looked up, and TLS.
#include <errand/error.hpp>

#include "support/driver_fixture.hpp"

#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace errand::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct tls_fixture {
    boost::asio::io_context io{1};
    std::unique_ptr<database_server> server = make_database_server(database_kind(), {.tls = true});

    std::string url() const { return server->tcp_url(database_kind() == "postgres" ? "postgres" : "mysql"); }
    std::string with(const char* postgres, const char* mysql) const {
        return url() + (database_kind() == "postgres" ? postgres : mysql);
    }
    sql::value ask(const std::string& url, const std::string& statement) {
        const auto session = await(io, driver_of(url)->connect(io));
        return await(io, session->run(statement, {})).rows.at(0).back();
    }
    std::string refusal(const std::string& url) {
        try {
            ask(url, "SELECT 1");
        } catch (const store_error& e) {
            return e.what();
        }
        return "connected";
    }
};

}  // namespace

TEST_CASE("a session by TCP with TLS, the certificate checked") {
    tls_fixture here;
    const auto authority = here.server->certificate().string();
    const auto checked = here.with("?sslmode=verify-full&sslrootcert=", "?tls=on&ca=") + authority;
    const auto in_use =
        database_kind() == "postgres"
            ? here.ask(checked, "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            : here.ask(checked, "SHOW STATUS LIKE 'Ssl_version'");
    CHECK_THAT(std::get<std::string>(in_use), ContainsSubstring("true") || ContainsSubstring("TLS"));
    // A certificate that nobody known has signed.
    CHECK_THAT(here.refusal(here.with("?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt",
                                      "?tls=on")),
               ContainsSubstring("certificate"));
    CHECK(here.refusal(here.with("?sslmode=require", "?tls=on&verify=none")) == "connected");
    // A server that wants it.
    CHECK(here.refusal(here.with("?sslmode=disable", "")) != "connected");
}

TEST_CASE("a host's name is looked up, and each of its addresses is tried") {
    tls_fixture here;
    auto url = here.with("?sslmode=require", "?tls=on&verify=none");
    url.replace(url.find("127.0.0.1"), 9, "localhost");
    CHECK(here.ask(url, "SELECT 1") == sql::value{std::int64_t{1}});
}

TEST_CASE("of several hosts the first that answers is taken", "[only_postgres]") {
    tls_fixture here;
    auto url = here.with("?sslmode=require", "");
    url.insert(url.find("127.0.0.1"), "127.0.0.1:1,localhost:1,");
    CHECK(here.ask(url, "SELECT 1") == sql::value{std::int64_t{1}});
}
