// Those who create tasks of flows: looks that wait, lists, changes; and what is set of types.
#include "service/flow_shop.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <set>
#include <thread>

using namespace std::chrono_literals;
using service_test::flow_shop;
using service_test::json_text;
namespace json = boost::json;

namespace {

void ask_later(flow_shop& shop, service_test::client& at, const std::string& rest) {
    at.send("GET " + shop.path(rest) + " HTTP/1.1\r\nHost: " + at.host() + "\r\n\r\n");
}

// The ids on all pages, in order.
std::vector<std::string> listed(flow_shop& shop, const std::string& query, int limit) {
    std::vector<std::string> ids;
    for (std::string cursor;;) {
        const auto page = shop.done("GET", "/tasks?" + query + "&limit=" + std::to_string(limit) +
                                               (cursor.empty() ? "" : "&cursor=" + cursor));
        CHECK(page.at("tasks").as_array().size() <= static_cast<std::size_t>(limit));
        for (const auto& one : page.at("tasks").as_array()) ids.emplace_back(one.at("id").as_string());
        if (page.at("next").is_null()) return ids;
        cursor = std::string{page.at("next").as_string()};
    }
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("a look waits for a change or for the end, and says the same when there was none",
          "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create();
    const auto first = shop.ask("GET", "/tasks/film/" + id);
    CHECK(first.headers.at("etag") == "\"1\"");
    // Nothing happens.
    CHECK(shop.ask("GET", "/tasks/film/" + id + "?wait_ms=20&after_version=1").body == first.body);
    CHECK(shop.look(id, "?wait_ms=20&until=finished").at("version") == 1);
    // What is newer than what is known is answered at once, and what comes is waited for.
    CHECK(shop.look(id, "?wait_ms=60000&after_version=0").at("version") == 1);
    auto waits = shop.connect();
    ask_later(shop, waits, "/tasks/film/" + id + "?wait_ms=60000&after_version=1");
    const auto task = shop.hold_one();
    CHECK(waits.receive().json().at("status") == "processing");
    ask_later(shop, waits, "/tasks/film/" + id + "?wait_ms=60000&until=finished&fields=status,result");
    shop.reported(task, "next", R"("stage": "cut")");
    shop.reported(shop.hold_one(), "done", R"("result": 7)");
    CHECK(json_text(waits.receive().json()) == R"({"status":"success","result":7})");
    CHECK(shop.ask("GET", "/tasks/film/" + id + "?fields=colour").status == 400);
    CHECK(shop.ask("GET", "/tasks/film/" + id + "?until=never").status == 400);
}

TEST_CASE("tasks are listed by type, status, state, stage, user and time of creation, page by page",
          "[service][flow]") {
    flow_shop shop;
    shop.put_type("mail");
    // Their ages are told in milliseconds.
    const auto create = [&](const std::string& text) {
        shop.create(text);
        std::this_thread::sleep_for(2ms);
    };
    for (const auto* id : {"a", "b", "c", "d"})
        create(R"("id": ")" + std::string{id} + R"(", "user": "ann")");
    create(R"("id": "e", "user": "bob", "stage": "cut", "delay_ms": 3600000)");
    shop.done("POST", "/tasks", R"({"type": "mail", "id": "m"})");
    const auto held = shop.hold(R"("limit": 2)");
    shop.reported(held.at(0).as_object(), "done");
    const std::string film = "type=film";
    for (const int limit : {1, 2, 100}) {
        INFO(limit);
        CHECK(listed(shop, film + "&status=pending", limit) == names{"e", "d", "c"});
        CHECK(listed(shop, film + "&status=1&user=ann", limit) == names{"d", "c"});
        CHECK(listed(shop, film + "&status=processing", limit) == names{"b"});
        CHECK(listed(shop, film + "&status=3", limit) == names{"a"});
        CHECK(listed(shop, film + "&status=failed", limit).empty());
        CHECK(listed(shop, film + "&state=delayed", limit) == names{"e"});
        CHECK(listed(shop, film + "&stage=cut", limit) == names{"e"});
        CHECK(listed(shop, film + "&created_before=2020-01-01T00:00:00Z", limit).empty());
        CHECK(listed(shop, film + "&created_after=2020-01-01T00:00:00Z", limit).size() == 5);
        CHECK(listed(shop, "status=pending&user=bob", limit) == names{"e"});
        CHECK(listed(shop, "status=pending", limit).size() == 4);
    }
    // The newest first, whatever has become of them.
    for (const int limit : {1, 2, 100}) {
        INFO(limit);
        CHECK(listed(shop, film, limit) == names{"e", "d", "c", "b", "a"});
        CHECK(listed(shop, film + "&user=ann", limit) == names{"d", "c", "b", "a"});
    }
    CHECK(shop.ask("GET", "/tasks?type=film&cursor=0.0.").status == 400);
    // A cursor stays valid while tasks come and go.
    const auto page = shop.done("GET", "/tasks?type=film&state=ready&limit=1");
    shop.create(R"("id": "f")");
    shop.hold(R"("limit": 1)");
    CHECK(shop.ask("GET", "/tasks?type=film&state=ready&limit=1&cursor=" + flow_shop::text(page, "next"))
              .status == 200);
    for (const auto* query : {"status=fine", "state=fine", "status=1&state=ready", "limit=0", "limit=1001",
                              "cursor=x", "created_after=yesterday", "type=a%20b"}) {
        INFO(query);
        CHECK(shop.ask("GET", "/tasks?" + std::string{query}).status == 400);
    }
}

TEST_CASE("a task that nobody holds is changed, if it has the version that was seen", "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create(R"("content": 1, "delay_ms": 3600000)");
    const auto patch = [&](std::string_view body, std::vector<std::string> headers = {}) {
        return shop.ask("PATCH", "/tasks/film/" + id, body, std::move(headers));
    };
    CHECK(patch(R"({"content": 2})", {"If-Match: \"9\""}).error_code() == "conflict");
    CHECK(json_text(shop.look(id).at("content")) == "1");
    const auto got = patch(R"({"content": 2, "priority": 4})", {"If-Match: \"1\""});
    CHECK(got.status == 200);
    CHECK(got.json().at("priority") == 4);
    CHECK(got.json().at("version").as_int64() > 1);
    CHECK(got.headers.at("etag") == '"' + json_text(got.json().at("version")) + '"');
    CHECK(patch(R"({"content": 3})", {"If-Match: 1"}).status == 409);
    CHECK(patch("{}").status == 400);
    CHECK(patch(R"({"content": null, "due_at": "2020-01-01T00:00:00Z"})").status == 200);
    const auto task = shop.hold_one();
    CHECK(task.at("content").is_null());
    CHECK(task.at("attempt") == 1);
    CHECK(patch(R"({"content": 4})").error_code() == "conflict");
    // What a worker has put in place of it is changed, too.
    shop.reported(task, "next", R"("stage": "cut", "content": {"n": 5}, "in_ms": 3600000)");
    CHECK(patch(R"({"content": {"n": 6}, "due_at": "2020-01-01T00:00:00Z"})").status == 200);
    const auto cut = shop.hold_one();
    CHECK(json_text(cut.at("content")) == R"({"n":6})");
    CHECK(cut.at("stage") == "cut");
    shop.reported(cut, "done");
    CHECK(patch(R"({"content": 7})").status == 409);
    // And of one that is ready, with its notes or without.
    const auto ready = shop.create(R"("content": 1)");
    for (int n = 2; n <= 3; ++n)
        shop.done("PATCH", "/tasks/film/" + ready, R"({"content": )" + std::to_string(n) + '}');
    CHECK(shop.hold_one().at("content") == 3);
    CHECK(shop.t.run(shop.t.app.inspect().check()).found == 0);
}

TEST_CASE("a task that has failed starts again at its stage or another one, with all its retries",
          "[service][flow]") {
    flow_shop shop{R"("max_retry": 0, "stages": ["start", "cut", "colour"])"};
    const auto id = shop.create(R"("content": 1)");
    const auto revive = [&](std::string_view body) {
        return shop.ask("POST", "/tasks/film/" + id + ":revive", body);
    };
    CHECK(revive("{}").error_code() == "conflict");
    shop.reported(shop.hold_one(), "next", R"("stage": "cut", "content": 2)");
    shop.reported(shop.hold_one(), "failed", R"("error": "no")");
    CHECK(shop.look(id).at("status") == "failed");
    CHECK(revive("").status == 200);
    const auto again = shop.hold_one();
    CHECK(again.at("stage") == "cut");
    CHECK(again.at("retries") == 0);
    CHECK(json_text(again.at("content")) == "2");
    shop.reported(again, "dead", R"("error": "no")");
    CHECK(revive(R"({"stage": "sound"})").status == 400);
    const auto got = revive(R"({"stage": "colour", "max_retry": 1, "content": 3})");
    CHECK(got.status == 200);
    CHECK(got.json().at("stage_number") == 3);
    const auto third = shop.hold_one();
    CHECK(third.at("stage") == "colour");
    CHECK(json_text(third.at("content")) == "3");
    CHECK(shop.reported(third, "failed", R"("error": "no", "in_ms": 0)").at("status") == "pending");
    // Also one that was cancelled, as it was then.
    const auto held = shop.hold_one();
    shop.done("DELETE", "/tasks/film/" + id);
    CHECK(shop.look(id).at("stage") == "colour");
    CHECK(revive("").status == 200);
    service_test::object back = shop.hold_one();
    CHECK(back.at("stage") == "colour");
    CHECK(json_text(back.at("content")) == "3");
    CHECK(shop.report(held, "done").error_code() == "claim_lost");
    CHECK(shop.t.run(shop.t.app.inspect().check()).found == 0);
}

TEST_CASE("what is set of a type is shown as it was set, changed in parts, and counted", "[service][flow]") {
    flow_shop shop;
    const auto first = shop.done("GET", "/types/film");
    CHECK(first.at("batch") == 100);
    CHECK(json_text(first.at("backoff")) == R"({"kind":"progressive","first_ms":1000,"cap_ms":10000})");
    CHECK(first.at("max_retry") == 3);
    CHECK(first.at("version") == 1);
    const std::string all =
        R"({"batch":5,"interval_ms":7,"lease_ms":2000,"max_retry":9,"backoff":{"kind":"uniform","first_ms":50},"retry_scope":"task",)"
        R"("priority":2,"retention_ms":60000,"expires_after_ms":5000,"max_content":1000,"log_runs":4,"stages":["start","cut"],"max_running":3,)"
        R"("rate":{"count":10,"per_ms":1000,"burst":2},"paused":true)";
    CHECK(json_text(shop.done("PUT", "/types/film", all + '}')) ==
          R"({"name":"film",)" + all.substr(1) + R"(,"version":2})");
    CHECK(shop.ask("PUT", "/types/other", "{}").status == 201);
    const auto patched = shop.done(
        "PATCH", "/types/film",
        R"({"batch": null, "backoff": {"kind": "polynomial"}, "expires_after_ms": null, "rate": null, "paused": null})");
    CHECK(patched.at("batch") == 100);
    CHECK(json_text(patched.at("backoff")) == R"({"kind":"polynomial"})");
    CHECK(patched.at("expires_after_ms").is_null());
    CHECK(patched.at("paused") == false);
    CHECK(patched.at("max_retry") == 9);
    CHECK(patched.at("max_running") == 3);
    CHECK(patched.at("rate").is_null());
    CHECK(patched.at("version") == 3);
    CHECK(shop.done("GET", "/types").at("types").as_array().size() == 2);
    for (const auto* body :
         {R"({"batch": 0})", R"({"batch": 1001})", R"({"lease_ms": 999})", R"({"max_retry": -1})",
          R"({"retention_ms": 1})", R"({"priority": 10})", R"({"retry_scope": "both"})",
          R"({"stages": ["a", "a"]})", R"({"stages": ["a b"]})", R"({"paused": "yes"})",
          R"({"max_running": -1})", R"({"rate": {"count": 0}})", R"({"rate": {"per_ms": 5}})",
          R"({"backoff": {"kind": "steep"}})", R"({"backoff": {"kind": "uniform", "cap_ms": 1}})",
          R"({"backoff": {"kind": "progressive", "first_ms": 10, "cap_ms": 5}})", R"({"max_content": 0})",
          R"({"log_runs": 0})", R"({"log_runs": 33})"}) {
        INFO(body);
        CHECK(shop.ask("PUT", "/types/film", body).status == 400);
    }
    CHECK(shop.done("GET", "/types/film").at("version") == 3);
}

TEST_CASE("tasks of a type are counted by status and stage, and a type goes when nothing of it is left to do",
          "[service][flow]") {
    flow_shop shop;
    for (int i = 0; i < 5; ++i) shop.create();
    shop.create(R"("delay_ms": 3600000, "stage": "late")");
    const auto held = shop.hold(R"("limit": 4)");
    shop.reported(held.at(0).as_object(), "done");
    shop.reported(held.at(1).as_object(), "dead", R"("error": "no")");
    shop.reported(held.at(2).as_object(), "next", R"("stage": "cut", "in_ms": 3600000)");
    auto counts = shop.done("GET", "/types/film/counts");
    CHECK(counts.at("oldest_pending_ms").is_int64());
    counts.erase("oldest_pending_ms");
    CHECK(
        json_text(counts) ==
        R"({"pending":3,"delayed":2,"processing":1,"success":1,"failed":1,"by_stage":{"cut":1,"late":1,"start":2},"by_stage_complete":true})");
    CHECK(shop.ask("GET", "/types/film/counts?by_stage=some").status == 400);
    CHECK(shop.done("GET", "/types/film/counts?by_stage=all").at("by_stage") == counts.at("by_stage"));
    CHECK(shop.ask("DELETE", "/types/film").error_code() == "conflict");
    CHECK(shop.ask("DELETE", "/types/film?cancel=perhaps").status == 400);
    CHECK(shop.done("DELETE", "/types/film?cancel=true").at("deleted") == true);
    CHECK(shop.ask("GET", "/types/film").status == 404);
    CHECK(shop.ask("POST", "/tasks", R"({"type": "film"})").status == 404);
    CHECK(shop.ask("POST", "/types/film:hold").status == 404);
    CHECK(shop.ask("PUT", "/types/film", "{}").status == 201);
    CHECK(shop.hold().empty());
}

TEST_CASE("the tasks at each stage are counted to the last one when all are asked for", "[service][flow]") {
    flow_shop shop;
    const auto create = [&](int n, const std::string& stage) {
        std::string tasks;
        for (int i = 0; i < n; ++i) tasks += R"({"type": "film", "stage": ")" + stage + R"("}, )";
        shop.done("POST", "/tasks:batch", R"({"tasks": [)" + tasks.substr(0, tasks.size() - 2) + "]}");
    };
    for (int i = 0; i < 10; ++i) create(1000, "start");
    create(700, "cut");
    const auto some = shop.done("GET", "/types/film/counts");
    CHECK(some.at("by_stage_complete") == false);
    const auto all = shop.done("GET", "/types/film/counts?by_stage=all");
    CHECK(all.at("by_stage_complete") == true);
    CHECK(json_text(all.at("by_stage")) == R"({"cut":700,"start":10000})");
}

TEST_CASE(
    "no more of a type is held at once than it says, nor faster, whether it was created before or after",
    "[service][flow]") {
    flow_shop shop;
    for (int i = 0; i < 3; ++i) shop.create();
    shop.done("PATCH", "/types/film", R"({"max_running": 1})");
    shop.create();
    const auto first = shop.hold_one();
    CHECK(shop.hold(R"("limit": 10)").empty());
    shop.reported(first, "next", R"("stage": "cut")");
    for (int i = 0; i < 4; ++i) shop.reported(shop.hold_one(), "done");
    CHECK(shop.hold().empty());
    CHECK(shop.t.run(shop.t.app.inspect().check()).found == 0);
    // None falls into this time after the first.
    shop.done("PATCH", "/types/film", R"({"max_running": null, "rate": {"count": 1, "per_ms": 3600000}})");
    shop.create();
    shop.create();
    shop.hold_one();
    CHECK(shop.hold(R"("limit": 10)").empty());
    shop.done("PATCH", "/types/film", R"({"rate": null})");
    shop.hold_one();
}

TEST_CASE("a type that nobody has made appears when it is named, where that is allowed", "[service][flow]") {
    errand::service_options how;
    how.flow_types_appear = true;
    flow_shop shop{{}, how};
    CHECK(shop.done("GET", "/types").at("types").as_array().size() == 1);
    CHECK(shop.done("POST", "/tasks", R"({"type": "mail", "id": "m"})").at("created") == true);
    const auto type = shop.done("GET", "/types/mail");
    CHECK(type.at("max_retry") == 3);
    CHECK(type.at("version") == 1);
    shop.done("POST", "/tasks:batch",
              R"({"tasks": [{"type": "sms"}, {"type": "sms"}, {"type": "sms"}, {"type": "fax"}]})");
    CHECK(shop.done("GET", "/types/sms").at("version") == 1);
    CHECK(shop.done("POST", "/types/letter:hold").at("tasks").as_array().empty());
    CHECK(shop.done("POST", "/hold", R"({"types": [{"type": "parcel"}, {"type": "mail"}]})")
              .at("tasks")
              .as_array()
              .size() == 1);
    CHECK(shop.done("GET", "/types").at("types").as_array().size() == 6);
    // What only asks makes none, nor does what is no name.
    CHECK(shop.ask("GET", "/types/none").status == 404);
    CHECK(shop.ask("GET", "/types/none/counts").status == 404);
    CHECK(shop.ask("POST", "/tasks", R"({"type": "a b"})").status == 400);
    CHECK(shop.ask("POST", "/types/a%20b:hold").status == 404);
    CHECK(shop.done("GET", "/types").at("types").as_array().size() == 6);
}

TEST_CASE("a task that waits no more shows when it fell due, as its report was answered", "[service][flow]") {
    flow_shop shop;
    const auto id = shop.create();
    const auto first = shop.hold_one();
    CHECK(first.at("due_at") == first.at("created_at"));
    const auto answer = shop.reported(first, "next", R"("stage": "cut", "in_ms": 20)");
    const auto again = shop.hold_one();
    CHECK(again.at("due_at") == answer.at("due_at"));
    const auto failed = shop.reported(again, "failed", R"("error": "no", "in_ms": 0)");
    errand::test::eventually([&] {
        const auto seen = shop.look(id);
        return seen.at("state") == "ready" && seen.at("due_at") == failed.at("due_at");
    });
    // What was changed since goes before that.
    const auto late = shop.reported(shop.hold_one(), "next", R"("stage": "end", "in_ms": 3600000)");
    shop.done("PATCH", "/tasks/film/" + id, R"({"due_at": "2020-01-01T00:00:00Z"})");
    CHECK(flow_shop::text(shop.hold_one(), "due_at") < flow_shop::text(late, "due_at"));
}
