// Who may use lmstfy's API, and its admin API.
#include "service/lmstfy_shop.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"
#include "support/store_kind.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>

using Catch::Matchers::ContainsSubstring;
using service_test::client;
using service_test::lmstfy_client;
using service_test::lmstfy_shop;
using service_test::with_lmstfy;
namespace json = boost::json;

namespace {

std::string error_in(const service_test::response& got) {
    INFO(got.status << ' ' << got.body);
    CHECK(got.headers.contains("x-request-id"));
    return std::string{got.json().at("error").as_string()};
}

// "Basic " of "root:password"
constexpr auto root_header = "Authorization: Basic cm9vdDpwYXNzd29yZA==";

}  // namespace

TEST_CASE("a token lets into its own namespace and pool, by header or query", "[service]") {
    lmstfy_shop shop;
    const auto token = shop.make_token(shop.name());
    client at{shop.at->api.front()};
    const auto path = "/api/" + shop.name() + "/q";
    CHECK(at.ask("PUT", path, "x", {"X-Token: " + token}).status == 201);
    CHECK(at.ask("PUT", path, "x", {"X-Token:default:" + token}).status == 201);
    CHECK(at.ask("PUT", path + "?token=" + token, "x").status == 201);
    CHECK(at.ask("PUT", path + "?token=" + token, "x", {"X-Token:"}).status == 201);
    CHECK(at.ask("PUT", path + "?Array&token=default:" + token, "x").status == 201);
    const auto refused = [&](const std::string& where, std::vector<std::string> headers) {
        return at.ask("GET", where, {}, std::move(headers));
    };
    auto got = refused(path, {});
    CHECK(got.status == 401);
    CHECK(error_in(got) == "token not found");
    got = refused(path + "?token=" + token, {"X-Token: wrong"});
    CHECK(got.status == 401);
    CHECK(error_in(got) == "invalid token");
    got = refused(path, {"X-Token: nowhere:" + token});
    CHECK(got.status == 404);
    CHECK(error_in(got) == "pool not found");
    // Another namespace, also one whose name and token run together are the same.
    CHECK(refused("/api/" + shop.other() + "/q", {"X-Token: " + token}).status == 401);
    CHECK(
        refused("/api/" + shop.name() + token.substr(0, 1) + "/q", {"X-Token: " + token.substr(1)}).status ==
        401);
    // Names are looked at first.
    for (const auto* name : {"_q", "a.b", "q%20", "%2F"}) {
        CHECK(refused("/api/" + shop.name() + '/' + name, {}).status == 400);
        CHECK(refused("/api/" + shop.name() + "/q," + name, {}).status == 400);
    }
    CHECK(refused("/api/" + shop.name() + '/' + std::string(256, 'q'), {}).status == 400);
    for (const auto* nothing : {"/", "/api", "/api/a", "/api/a/b/c", "/token/a"}) {
        got = refused(nothing, {});
        CHECK(got.status == 404);
        CHECK(error_in(got) == "api not found");
    }
    // The connection has gone on all the time.
    CHECK(refused(path, {"X-Token: " + token}).status == 200);
}

TEST_CASE("numbers of lmstfy's API are digits within their bounds", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    for (const auto* bad : {"delay=-1", "delay=", "delay=x", "delay=4294967296", "ttl=+1", "ttl=1.5",
                            "tries=0", "tries=65536", "ttl=1&delay=2"}) {
        INFO(bad);
        CHECK(at.ask("PUT", "q?" + std::string{bad}, "x").status == 400);
    }
    for (const auto* bad :
         {"ttr=", "ttr=-1", "timeout=x", "timeout=4294967296", "count=0", "count=101", "count="}) {
        INFO(bad);
        CHECK(at.ask("GET", "q?" + std::string{bad}).status == 400);
    }
    CHECK(at.size("q") == 0);
    for (const auto* good : {"ttl=2&delay=2", "ttl=0&delay=5", "tries=65535&ttl=4294967295", "whatever=1"})
        CHECK(at.ask("PUT", "q?" + std::string{good}, "x").status == 201);
}

TEST_CASE("bodies on calls that want none are thrown away, as PHP's client sends them", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    const std::string body(1'048'576, 'x');
    const std::vector<std::string> form{"Content-Type: application/x-www-form-urlencoded"};
    const auto id = at.publish("q", body, form);
    CHECK(at.ask("GET", "q?Array", body, form).json().at("job_id") == json::string_view{id});
    CHECK(at.ask("PUT", "q/deadletter", body, form).json().at("count") == 0);
    CHECK(at.ask("DELETE", "q/job/" + id, body, form).status == 204);
    // That of a bulk is larger.
    const std::string bulk(5'000'000, 'x');
    for (const auto* rest : {"q", "q/peek", "q/job/x", "q/size", "q/deadletter", "q/deadletter/size"}) {
        INFO(rest);
        CHECK(at.ask("GET", rest, bulk, form).status != 413);
    }
    CHECK(at.ask("PUT", "q/deadletter", bulk, form).status == 200);
    for (const auto* rest : {"q", "q/job/x", "q/deadletter"})
        CHECK(at.ask("DELETE", rest, bulk, form).status == 204);
    // And what waits for a 100 gets it.
    auto& line = at.line();
    line.send("PUT /api/" + shop.name() + "/q HTTP/1.1\r\nHost: x\r\nX-Token:" + at.token() +
              "\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    CHECK(line.receive().status == 100);
    line.send("hi");
    CHECK(line.receive().status == 201);
}

TEST_CASE("tokens are made, listed by their hash, and refused from the next request on when deleted",
          "[service]") {
    lmstfy_shop shop;
    auto admin = shop.admin();
    const auto at = "/token/" + shop.name();
    CHECK(admin.ask("GET", at).json() == json::value{{"tokens", json::object{}}});
    for (const auto& bad : {at, at + "?description=", at + "?description=x&token=short",
                            at + "?description=x&pool=nowhere", std::string{"/token/a.b?description=x"}}) {
        INFO(bad);
        const auto got = admin.ask("POST", bad);
        CHECK(got.status == 400);
        error_in(got);
    }
    const std::string own = "a-token-of-twenty-letters";
    const std::vector<std::string> form{"Content-Type: application/x-www-form-urlencoded"};
    auto made = admin.ask("POST", at, "description=my+own&token=" + own, form);
    CHECK(made.status == 201);
    CHECK(made.json() == json::value{{"token", own}});
    CHECK(admin.ask("POST", at + "?description=again&token=" + own).status == 400);
    const auto listed = admin.ask("GET", at);
    CHECK_THAT(listed.body, ContainsSubstring("my own") && !ContainsSubstring(own));
    CHECK_THAT(admin.ask("GET", at + "?pool=default").body, ContainsSubstring("\"default:sha256-"));
    CHECK(admin.ask("GET", at + "?pool=nowhere").status == 400);
    auto user = shop.with_token(shop.name(), own);
    user.publish("q", "x");
    CHECK(admin.ask("DELETE", at + "/default:" + own).status == 204);
    CHECK(user.ask("GET", "q").status == 401);
    CHECK(admin.ask("DELETE", at + "/" + own).status == 204);
    CHECK(admin.ask("GET", at).json() == json::value{{"tokens", json::object{}}});
    // By the name under which it is listed.
    shop.make_token(shop.name());
    const auto name = std::string{admin.ask("GET", at).json().at("tokens").as_object().begin()->key()};
    CHECK(admin.ask("DELETE", at + "/" + name).status == 204);
    CHECK(admin.ask("GET", at).json() == json::value{{"tokens", json::object{}}});
    for (const auto& line : shop.t.log_lines()) CHECK_THAT(line, !ContainsSubstring(own));
}

TEST_CASE("a token deleted by one server is refused by another", "[service][shared_by_apps]") {
    lmstfy_shop shop;
    const auto token = shop.make_token(shop.name());
    lmstfy_shop second{with_lmstfy(), shop.t.app.settings()};
    auto there = second.with_token(shop.name(), token);
    CHECK(there.ask("GET", "q/size").status == 200);
    CHECK(shop.admin().ask("DELETE", "/token/" + shop.name() + '/' + token).status == 204);
    errand::test::eventually([&] { return there.ask("GET", "q/size").status == 401; });
}

TEST_CASE("a token makes no more requests than its limit says, and those that bring nothing do not count",
          "[service]") {
    lmstfy_shop shop;
    auto admin = shop.admin();
    auto at = shop.connect();
    const auto limit = "/token/" + shop.name() + '/' + at.token() + "/limit";
    CHECK(admin.ask("GET", limit).status == 404);
    CHECK(admin.ask("GET", limit).body == "null");
    for (const auto* bad : {"", "x", "{}", R"({"read": 0, "write": 0, "interval": 5})",
                            R"({"read": 1, "write": 0, "interval": 0})", R"({"read": "1", "interval": 1})"}) {
        const auto got = admin.ask("POST", limit, bad);
        INFO(bad);
        CHECK(got.status == 400);
        error_in(got);
    }
    const std::string rule = R"({"read": 1, "write": 3, "interval": 3600})";
    CHECK(admin.ask("POST", limit, rule).status == 201);
    CHECK(admin.ask("POST", limit, rule).status == 409);
    CHECK(admin.ask("GET", limit).json() == json::parse(rule));
    CHECK(at.is_empty("q"));
    CHECK(at.is_empty("q"));
    CHECK(at.ask("PUT", "q?tries=0", "x").status == 400);
    const auto id = at.publish("q", "x");
    at.publish("q/job/" + id, "y");
    CHECK(at.ask("PUT", "q/bulk", "[1,2,3]").status == 201);
    const auto over = at.ask("PUT", "q", "z");
    CHECK(over.status == 429);
    CHECK(over.json().at("msg") == over.json().at("error"));
    CHECK(std::stoll(over.headers.at("retry-after")) > 0);
    CHECK(std::stoll(over.headers.at("retry-after")) <= 3600);
    at.consume("q");
    CHECK(at.ask("GET", "q").status == 429);
    CHECK(at.size("q") == 3);
    CHECK(admin.ask("GET", "/limits").json().as_array().size() == 1);
    CHECK(admin.ask("PUT", limit, R"({"read": 2, "write": 4, "interval": 3600})").status == 200);
    CHECK(at.ask("PUT", "q", "z").status == 201);
    CHECK(at.ask("PUT", "q", "z").status == 429);
    CHECK(admin.ask("DELETE", limit).json() == json::value{{"msg", "success"}});
    CHECK(admin.ask("DELETE", limit).status == 200);
    CHECK(at.ask("PUT", "q", "z").status == 201);
}

TEST_CASE("a token's limit holds over all servers together", "[service]") {
    if (!errand::test::can(errand::test::capability::shared_by_apps)) return;
    lmstfy_shop shop;
    auto at = shop.connect();
    const auto limit = "/token/" + shop.name() + '/' + at.token() + "/limit";
    CHECK(shop.admin().ask("POST", limit, R"({"read": 1, "write": 5, "interval": 3600})").status == 201);
    lmstfy_shop second{with_lmstfy(), shop.t.app.settings()};
    auto there = second.with_token(shop.name(), at.token());
    int published = 0;
    for (int i = 0; i < 5; ++i) {
        for (auto* by : {&at, &there}) {
            const auto status = by->ask("PUT", "q", "x").status;
            if (status == 201) ++published;
            CHECK((status == 201 || status == 429));
        }
    }
    CHECK(published == 5);
    CHECK(at.is_empty("none"));
    CHECK(there.is_empty("none"));
    there.consume("q");
    CHECK(at.ask("GET", "q").status == 429);
}

TEST_CASE("the admin API tells of itself, and asks for an account where there are any", "[service]") {
    const auto folder = errand::test::temporary_folder("accounts");
    const auto file = folder / "accounts";
    std::ofstream{file} << errand::web::token_line("root", {"admin"}, "password")
                        << errand::web::token_line("ann", {"submit"}, "password2");
    errand::lmstfy_options more;
    more.accounts_file = file;
    lmstfy_shop shop{with_lmstfy(more)};
    auto admin = shop.admin();
    CHECK(admin.ask("GET", "/version").json().as_object().contains("version"));
    CHECK(admin.ask("GET", "/pools").json() == json::array{"default"});
    CHECK(admin.ask("GET", "/accesslog").json().at("status") == "enabled");
    CHECK(admin.ask("GET", "/healthz").status == 200);
    CHECK(admin.ask("GET", "/readyz").status == 200);
    const auto token = "/token/" + shop.name() + "?description=x";
    const auto refused = admin.ask("POST", token);
    CHECK(refused.status == 401);
    CHECK_THAT(refused.headers.at("www-authenticate"), ContainsSubstring("Basic"));
    // "root:wrong", and "ann:password2", who is no administrator.
    CHECK(admin.ask("POST", token, {}, {"Authorization: Basic cm9vdDp3cm9uZw=="}).status == 401);
    CHECK(admin.ask("POST", token, {}, {"Authorization: Basic YW5uOnBhc3N3b3JkMg=="}).status == 401);
    for (const auto* path : {"/limits", "/info", "/metrics"}) CHECK(admin.ask("GET", path).status == 401);
    const auto made = admin.ask("POST", token, {}, {root_header});
    REQUIRE(made.status == 201);
    auto at = shop.with_token(shop.name(), std::string{made.json().at("token").as_string()});
    at.publish("q", "x");
    CHECK(admin.ask("GET", "/info", {}, {root_header}).json().at(shop.name()) == json::array{"q"});
    CHECK(admin.ask("GET", "/info?pool=nowhere", {}, {root_header}).status == 404);
    at.acknowledge("q", service_test::job_id_of(at.consume("q")));
    const auto figures = admin.ask("GET", "/metrics", {}, {root_header});
    CHECK(figures.status == 200);
    const auto labels = R"({pool="default",namespace=")" + shop.name() + R"(",queue="q"})";
    CHECK_THAT(figures.body,
               ContainsSubstring("infra_lmstfy_redis_publish_queue_jobs" + labels + " 1") &&
                   ContainsSubstring("infra_lmstfy_redis_job_ack_elapsed_ms_count" + labels + " 1") &&
                   ContainsSubstring("infra_lmstfy_http_http_codes") && !ContainsSubstring(at.token()));
    CHECK(admin.ask("POST", "/accesslog?status=disable", {}, {root_header}).json().at("status") ==
          "disabled");
    CHECK(admin.ask("POST", "/accesslog?status=x", {}, {root_header}).status == 400);
}

TEST_CASE("a pool is another store, and a token names it", "[service]") {
    errand::lmstfy_options more;
    more.pools = {{"fast", "sqlite::memory:"}};
    lmstfy_shop shop{with_lmstfy(more)};
    CHECK(shop.admin().ask("GET", "/pools").json() == json::array{"default", "fast"});
    const auto token = shop.make_token(shop.name(), "&pool=fast");
    CHECK(token.starts_with("fast:"));
    auto fast = shop.with_token(shop.name(), token);
    auto usual = shop.connect();
    fast.publish("q", "x");
    CHECK(fast.size("q") == 1);
    CHECK(usual.size("q") == 0);
    CHECK(usual.is_empty("q"));
    CHECK(service_test::data_of(fast.consume("q")) == "eA==");
    CHECK(shop.with_token(shop.name(), token.substr(5)).ask("GET", "q").status == 401);
}

TEST_CASE("a pool whose store is away keeps nothing of the others from the admin API", "[service]") {
    errand::lmstfy_options more;
    more.pools = {{"gone", "redis://127.0.0.1:1/0"}};
    auto settings = errand::test::fresh_settings();
    settings.store_timeout = std::chrono::seconds{2};
    lmstfy_shop shop{with_lmstfy(more), settings};
    shop.connect().publish("q", "x");
    shop.make_token(shop.name(), "&pool=gone");
    auto admin = shop.admin();
    const auto metrics = admin.ask("GET", "/metrics");
    CHECK(metrics.status == 200);
    CHECK_THAT(metrics.body,
               ContainsSubstring("infra_lmstfy_redis_queue_sizes{pool=\"default\",namespace=\"" +
                                 shop.name() + "\",queue=\"q\"} 1\n"));
    CHECK(admin.ask("GET", "/info").json() == json::value{{shop.name(), {"q"}}});
}

TEST_CASE("sizes are told of namespaces that nobody has asked about since the start",
          "[service][shared_by_apps]") {
    lmstfy_shop shop;
    shop.connect(shop.other()).publish("q", "x");
    lmstfy_shop second{with_lmstfy(), shop.t.app.settings()};
    CHECK_THAT(second.admin().ask("GET", "/metrics").body,
               ContainsSubstring("queue_sizes{pool=\"default\",namespace=\"" + shop.other() +
                                 "\",queue=\"q\"} 1\n"));
}

TEST_CASE("the same token is counted by itself in each namespace", "[service]") {
    lmstfy_shop shop;
    const std::string token = "01234567890123456789";
    shop.make_token(shop.name(), "&token=" + token);
    shop.make_token(shop.other(), "&token=" + token);
    auto admin = shop.admin();
    for (const auto& name : {shop.name(), shop.other()}) {
        CHECK(admin.ask("POST", "/token/" + name + '/' + token + "/limit", R"({"write":1,"interval":1000})")
                  .status == 201);
        auto at = shop.with_token(name, token);
        CHECK(at.ask("PUT", "q", "x").status == 201);
        CHECK(at.ask("PUT", "q", "x").status == 429);
    }
}

TEST_CASE("sizes need a token unless they are open", "[service]") {
    errand::lmstfy_options more;
    more.open_sizes = true;
    lmstfy_shop shop{with_lmstfy(more)};
    shop.connect().publish("q", "x");
    client at{shop.at->api.front()};
    CHECK(at.ask("GET", "/api/" + shop.name() + "/q/size").json().at("size") == 1);
    CHECK(at.ask("GET", "/api/" + shop.name() + "/q/deadletter/size").status == 200);
    CHECK(at.ask("GET", "/api/" + shop.name() + "/q/peek").status == 401);
}

TEST_CASE("options of lmstfy's APIs that do not fit are refused", "[service]") {
    errand::test::test_app t;
    const auto refuses = [&](const errand::lmstfy_options& more) {
        errand::service_options how;
        how.listen = {"127.0.0.1:0"};
        how.lmstfy = more;
        CHECK_THROWS_AS((errand::service{t.app, how}), errand::usage_error);
    };
    refuses({.listen = {"nonsense"}});
    refuses({.admin_listen = {"0.0.0.0:0"}});
    refuses({.pools = {{"default", "sqlite::memory:"}}});
    refuses({.pools = {{"a.b", "sqlite::memory:"}}});
    refuses({.accounts_file = "/nowhere/at/all"});
    refuses({.tries = 0});
    refuses({.ttl = 5, .delay = 6});
}
