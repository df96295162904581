// The store is away: what is said then, and what is not.
#include <errand/proxy.hpp>

#include "runtime/app_core.hpp"
#include "service/lmstfy_shop.hpp"
#include "service/stored_tokens.hpp"
#include "service/token_folder.hpp"
#include "support/metric_page.hpp"
#include "support/redis_server.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/ringbuffer_sink.h>

#include <algorithm>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using service_test::counter;
using service_test::holder;
using service_test::token_folder;
using service_test::with_stored_tokens;
using service_test::with_tokens;

namespace {

// A store that is given up soon.
errand::config settings_of(const errand::test::redis_server& server) {
    auto settings = errand::test::fresh_settings();
    settings.store = server.url();
    settings.shards = 0;
    settings.store_timeout = 1s;
    return settings;
}

}  // namespace

TEST_CASE(
    "while the store is away requests are told so, nobody is told where it is, and it goes on by itself",
    "[service][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    counter t{{}, settings_of(server)};
    const std::string body = R"({"handler": "parcel", "args": [1]})";
    const std::vector<std::string> key{"Idempotency-Key: k"};
    auto at = t.connect();
    // A store that is only slow is away for as long; asked again, with the key, it counts once.
    const auto submitted_id = [&] {
        service_test::response got;
        errand::test::eventually([&] {
            got = at.ask("POST", t.path("/tasks"), body, key);
            return got.status < 300;
        });
        return std::string{got.json().at("id").as_string()};
    };
    const auto id = submitted_id();
    server.kill();
    for (const auto& [method, path] :
         std::vector<std::pair<std::string, std::string>>{{"GET", t.path("/queues")},
                                                          {"GET", t.path("/tasks/" + id + "?wait_ms=1")},
                                                          {"GET", "/readyz"},
                                                          {"POST", t.path("/tasks")},
                                                          {"POST", t.path("/tasks/" + id + ":cancel")}}) {
        const auto got = at.ask(method, path, method == "POST" ? body : "");
        INFO(method << ' ' << path << ' ' << got.body);
        CHECK(got.status == 503);
        CHECK(got.error_code() == "unavailable");
        CHECK(got.headers.contains("retry-after"));
        CHECK_THAT(got.body, !ContainsSubstring("redis") && !ContainsSubstring("socket"));
        CHECK((got.body.find("may have happened") != got.body.npos) == (method == "POST"));
    }
    const auto batch = at.ask("POST", t.path("/tasks:batch"), R"({"tasks": [)" + body + "]}");
    CHECK(batch.status == 200);
    CHECK(batch.json().at("results").at(0).at("error").at("code") == "unavailable");
    CHECK(at.ask("GET", "/healthz").status == 200);
    server.restart();
    errand::test::eventually([&] { return at.ask("GET", "/readyz").status == 200; });
    CHECK(submitted_id() == id);
}

TEST_CASE("that requests with a rate cannot be counted is logged once, however many are refused",
          "[service][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    const token_folder place;
    auto settings = settings_of(server);
    settings.log_level = "warn";
    counter t{
        with_tokens(place.file(errand::web::token_line("ann", {"view"}, "ann-token", {.rate = "1000/s"}))),
        settings};
    const auto kept = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(1000);
    errand::detail::core_of(t.app).log->sinks() = {kept};
    auto at = t.connect();
    const auto status = [&] { return at.ask("GET", t.path("/queues"), {}, {"X-Token: ann-token"}).status; };
    const auto lines_with = [&](const std::string& part) {
        const auto all = kept->last_formatted();
        return std::ranges::count_if(all, [&](const std::string& one) { return one.find(part) != one.npos; });
    };
    for (int outage = 1; outage <= 2; ++outage) {
        errand::test::eventually([&] { return status() == 200; });
        const auto before = lines_with("cannot be counted"), of_requests = lines_with("GET /v1/");
        server.kill();
        for (int i = 0; i < 4; ++i) CHECK(status() == 503);
        CHECK(lines_with("cannot be counted") == before + 1);
        CHECK(lines_with("GET /v1/") == of_requests);
        server.restart();
    }
}

TEST_CASE(
    "a service whose store has not answered yet lets in by its file, and by the store's list once that is known",
    "[service][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    const auto settings = settings_of(server);
    {
        errand::app before{settings};
        before.block_on(errand::web::change_stored_tokens(before, [](std::string& list) {
            list = errand::web::token_line("bob", {"view"}, "stored-token");
            return true;
        }));
    }
    server.kill();
    const token_folder place;
    const auto of_file = errand::web::token_line("ann", {"view"}, "file-token");
    counter t{with_tokens(place.file(of_file)), settings};
    holder ann{t, "file-token"};
    holder bob{t, "stored-token"};
    holder nobody{t, "none"};
    // Which the store is not asked for.
    const auto own_page = [&](holder& by, const std::string& token) {
        return by.line().ask("GET", "/metrics", {}, {"X-Token: " + token});
    };
    CHECK(own_page(ann, "file-token").status == 200);
    CHECK(own_page(bob, "stored-token").status == 503);
    const auto unknown = own_page(nobody, "none");
    CHECK(unknown.status == 503);
    CHECK(unknown.error_code() == "unavailable");
    CHECK(t.connect().ask("GET", "/metrics").status == 401);
    server.restart();
    errand::test::eventually([&] { return own_page(bob, "stored-token").status == 200; });
    CHECK(own_page(nobody, "none").status == 401);
    // Once they are known they are, whether the store answers or not.
    server.kill();
    CHECK(own_page(bob, "stored-token").status == 200);
    CHECK(own_page(nobody, "none").status == 401);
}

TEST_CASE("a revocation counts although the store could not say what it keeps when it told of it",
          "[service][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    auto settings = settings_of(server);
    settings.shards = 1;
    counter t{with_stored_tokens(), settings};
    t.run(errand::web::change_stored_tokens(t.app, [](std::string& list) {
        list = errand::web::token_line("bob", {"view"}, "stored-token");
        return true;
    }));
    service_test::holder bob{t, "stored-token"};
    REQUIRE(bob.status("/queues") == 200);
    const auto of_shard = "errand:{" + settings.name_space + ".0}:";
    const auto failed_looks = [&] {
        const auto page =
            errand::test::read_metrics(bob.line().ask("GET", "/metrics", {}, {"X-Token: stored-token"}).body);
        return std::ranges::count_if(page.samples, [](const auto& one) {
            return one.first.starts_with("errand_store_calls_total{operation=\"settings") &&
                   one.first.find("result=\"error\"") != std::string::npos && one.second > 0;
        });
    };
    REQUIRE(failed_looks() == 0);
    // For a while it has there what is none of it.
    REQUIRE(server.command({"EXISTS", of_shard + "settings"}) == "1");
    REQUIRE(server.command({"SET", of_shard + "settings", "strange"}) == "OK");
    REQUIRE(server.command({"PUBLISH", of_shard + "all", "p1"}) != "0");
    errand::test::eventually([&] { return failed_looks() > 0; });
    // Nobody tells of this.
    REQUIRE(server.command({"DEL", of_shard + "settings"}) == "1");
    errand::test::eventually([&] { return bob.status("/queues") == 401; });
}

TEST_CASE("what is refused whoever asks does not wait for a store that has not said yet whom it lets in",
          "[service][goes_away]") {
    errand::test::redis_server server{{.append_only = true}};
    auto settings = settings_of(server);
    settings.store_timeout = 60s;
    server.freeze();
    counter t{with_stored_tokens(), settings};
    service_test::holder waits{t, "unknown-token"};
    waits.send("GET", t.path("/queues"));
    const auto answered_first = [&](const std::string& path, const std::string& host) {
        auto other = t.connect();
        other.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nX-Token: unknown-token\r\n\r\n");
        if (&service_test::client::first_answered(waits.line(), other) != &other) return 0;
        return other.receive().status;
    };
    const auto own_host = waits.line().host();
    CHECK(answered_first("/nothing/here", own_host) == 404);
    CHECK(answered_first(t.path("/queues"), "elsewhere.example") == 403);
    CHECK(answered_first("/healthz", own_host) == 200);
    server.thaw();
    CHECK(waits.line().receive().status == 401);
}

TEST_CASE(
    "what lmstfy's API refuses whoever asks does not wait for a store that has not said yet whom it lets in",
    "[service][goes_away][lmstfy]") {
    errand::test::redis_server server{{.append_only = true}};
    auto settings = settings_of(server);
    settings.store_timeout = 60s;
    server.freeze();
    service_test::lmstfy_shop shop{service_test::with_lmstfy(), settings};
    service_test::client waits{shop.at->api.front()};
    const auto request = [&](const std::string& path, const std::string& token) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + waits.host() + "\r\nX-Token: " + token + "\r\n\r\n";
    };
    waits.send(request("/api/a/q", "unknown-token"));
    const auto answered_first = [&](const std::string& path, const std::string& token) {
        service_test::client other{shop.at->api.front()};
        other.send(request(path, token));
        if (&service_test::client::first_answered(waits, other) != &other) return 0;
        return other.receive().status;
    };
    CHECK(answered_first("/nothing/here", "unknown-token") == 404);
    CHECK(answered_first("/api/a/_q", "unknown-token") == 400);
    CHECK(answered_first("/api/a/q", "nowhere:unknown-token") == 404);
    CHECK(answered_first("/api/a/q", "") == 401);
    server.thaw();
    CHECK(waits.receive().status == 401);
}
