// What becomes of requests that wait when their token lets nobody in any more, and of what is asked too often.
#include "service/flow_shop.hpp"
#include "service/instant.hpp"
#include "service/lmstfy_shop.hpp"
#include "service/token_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>

using namespace std::chrono_literals;
using service_test::counter;
using service_test::flow_shop;
using service_test::holder;
using service_test::lmstfy_shop;
using service_test::token_folder;
using service_test::with_tokens;
namespace web = errand::web;

namespace {

const std::string ann_token = "my-token";
const std::string bob_token = "other-token";
const std::string waiting_claim = R"({"worker": "w", "queues": {"foreign": 1}, "wait_ms": 60000})";

std::string bob_alone() { return web::token_line("bob", {"submit", "work", "admin"}, bob_token); }
std::string ann_and_bob() { return bob_alone() + web::token_line("ann", {"submit", "work"}, ann_token); }

// One may wait, so that who is refused knows that somebody does.
errand::service_options room_for_one(const std::string& file) {
    auto how = with_tokens(file);
    how.max_waiting = 1;
    return how;
}

// Of two who ask where one may wait, one is refused: then the other waits.
holder& who_waits_of(holder& a, holder& b, std::string_view method, const std::string& path,
                     std::string_view body) {
    for (auto* one : {&a, &b}) one->send(method, path, body);
    auto& refused = service_test::client::first_answered(a.line(), b.line());
    CHECK(refused.receive().status == 429);
    return &refused == &a.line() ? b : a;
}

void check_put_out(const service_test::response& got) {
    INFO(got.body);
    CHECK(got.status == 401);
    CHECK(got.error_code() == "unauthorized");
    CHECK(got.headers.at("www-authenticate") == "Bearer");
}

}  // namespace

TEST_CASE("a request that waits ends when its token is revoked, and takes nothing", "[service]") {
    const token_folder place;
    counter t{room_for_one(place.file(ann_and_bob()))};
    const auto flow = "/flow" + t.path("");
    holder bob{t, bob_token};
    REQUIRE(bob.flow("PUT", "/types/film", "{}").status == 201);
    const auto late = bob.ask("POST", "/tasks", R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})");
    const std::string id{late.json().at("id").as_string()};
    REQUIRE(bob.flow("POST", "/tasks", R"({"type": "film", "id": "t", "delay_ms": 3600000})").status == 201);
    struct waiting {
        std::string method;
        std::string path;
        std::string body{};
    };
    const std::vector<waiting> all{
        {"POST", t.path("/work:claim"), waiting_claim},
        {"GET", t.path("/tasks/" + id + "?wait_ms=60000")},
        {"POST", t.path("/tasks:wait"), R"({"ids": [")" + id + R"("], "wait_ms": 60000})"},
        {"POST", flow + "/types/film:hold", R"({"wait_ms": 60000})"},
        {"GET", flow + "/tasks/film/t?wait_ms=60000&until=finished"},
    };
    for (const auto& one : all) {
        INFO(one.method << ' ' << one.path);
        place.file(ann_and_bob());
        holder first{t, ann_token};
        holder second{t, ann_token};
        auto& ann = who_waits_of(first, second, one.method, one.path, one.body);
        // What changes for others is nothing to her.
        place.file(ann_and_bob() + web::token_line("eve", {"view"}, "eve-token"));
        holder eve{t, "eve-token"};
        CHECK(eve.status("/queues") == 200);
        CHECK(bob.ask("POST", "/work:claim", waiting_claim).status == 429);
        place.file(bob_alone());
        check_put_out(ann.line().receive());
        // The connection is as good as before, and so is her place for others.
        CHECK(ann.status("/queues") == 401);
        CHECK(bob.ask("POST", "/work:claim", R"({"worker": "v", "queues": {"none": 1}, "wait_ms": 1})")
                  .status == 200);
    }
    // Who waits for a change looks for it now and then.
    place.file(ann_and_bob());
    holder watches{t, ann_token};
    watches.send("GET", flow + "/tasks/film/t?wait_ms=60000");
    place.file(bob_alone());
    check_put_out(watches.line().receive());
    // What comes now is for who may take it.
    REQUIRE(bob.ask("POST", "/tasks", R"({"handler": "py", "queue": "foreign", "args": []})").status == 201);
    const auto got = bob.ask("POST", "/work:claim", waiting_claim);
    REQUIRE(got.status == 200);
    CHECK(got.json().at("tasks").at(0).at("attempt") == 1);
}

TEST_CASE("a request that waits ends when the time of its token is over", "[service]") {
    const token_folder place;
    const auto end = std::chrono::floor<errand::duration>(std::chrono::system_clock::now()) + 1500ms;
    counter t{with_tokens(place.file(bob_alone() + web::token_line("ann", {"work"}, ann_token,
                                                                   {.expires = errand::instant_text(end)})))};
    holder ann{t, ann_token};
    ann.send("POST", t.path("/work:claim"), waiting_claim);
    check_put_out(ann.line().receive());
    CHECK(std::chrono::system_clock::now() >= end);
}

TEST_CASE("who waits by a token that the store keeps is put out when that is revoked", "[service]") {
    const token_folder place;
    counter t{room_for_one(place.file(bob_alone()))};
    holder bob{t, bob_token};
    const auto made = bob.ask("POST", "/tokens", R"({"name": "ann", "scopes": ["work"]})");
    REQUIRE(made.status == 201);
    const std::string token{made.json().at("token").as_string()};
    holder first{t, token};
    holder second{t, token};
    auto& ann = who_waits_of(first, second, "POST", t.path("/work:claim"), waiting_claim);
    CHECK(bob.ask("DELETE", "/tokens/ann").status == 200);
    check_put_out(ann.line().receive());
}

TEST_CASE("a consumer of lmstfy's API that waits is told when its token is deleted, and its job is another's",
          "[service][lmstfy]") {
    lmstfy_shop shop;
    for (const auto& name_space : {shop.name(), shop.other()}) {
        INFO(name_space);
        const auto token = shop.make_token(name_space);
        auto keeps = shop.connect(name_space);
        auto at = shop.with_token(name_space, token);
        at.line().send("GET /api/" + name_space + "/q?timeout=600 HTTP/1.1\r\nHost: " + at.line().host() +
                       "\r\nX-Token: " + token + "\r\n\r\n");
        CHECK(shop.admin().ask("DELETE", "/token/" + name_space + '/' + token).status == 204);
        const auto got = at.line().receive();
        INFO(got.body);
        CHECK(got.status == 401);
        CHECK(got.json().as_object().contains("error"));
        keeps.publish("q?tries=1", "x");
        CHECK(keeps.consume("q?timeout=60").at("remain_tries") == 0);
    }
}

TEST_CASE("of a token with a rate each request counts, also one that is refused, and before its body is read",
          "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(web::token_line("ann", {"view"}, ann_token, {.rate = "3/h"}) +
                                     web::token_line("bob", {"submit"}, bob_token, {.rate = "1/h"})))};
    holder ann{t, ann_token};
    // Of another scope, of another namespace, and of what is not there.
    CHECK(ann.ask("POST", "/tasks", R"({"handler": "parcel"})").status == 403);
    CHECK(ann.line().ask("GET", "/v1/other/queues", {}, {"X-Token: " + ann_token}).status == 404);
    CHECK(ann.status("/tasks/none") == 404);
    CHECK(ann.ask("POST", "/tasks", R"({"handler": "parcel"})").status == 429);
    CHECK(ann.status("/queues") == 429);

    holder bob{t, bob_token};
    CHECK(bob.status("/queues") == 200);
    // Of a body that is to come nothing is waited for, nor is it asked for.
    const auto head = "POST " + t.path("/tasks") + " HTTP/1.1\r\nHost: " + bob.line().host() +
                      "\r\nX-Token: " + bob_token + "\r\nContent-Type: application/json\r\n";
    bob.line().send(head + "Content-Length: 5000000\r\n\r\n{");
    const auto over = bob.line().receive();
    CHECK(over.status == 429);
    CHECK(over.closes());
    CHECK(bob.line().ended());
    holder patient{t, bob_token};
    patient.line().send(head + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    const auto asked = patient.line().receive();
    CHECK(asked.status == 429);
    CHECK(asked.closes());
    // One that came with it is passed over.
    holder quick{t, bob_token};
    quick.line().send(head + "Content-Length: 2\r\n\r\n{}" +
                      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(quick.line().receive().status == 429);
    CHECK(quick.line().receive().status == 200);
}
